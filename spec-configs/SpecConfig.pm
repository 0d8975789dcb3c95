# SPDX-License-Identifier: GPL-3.0-or-later
# Reads a configuration file of SPEC CPU2006 or CPU 2017 as its documentation says runspec and runcpu do: the
# preprocessor, comments, continued lines, sections, and which section wins.  Shared by check-configs and by the
# tests' stand-in for the suites.  What is wrong becomes FILE:LINE: messages; reading goes on, so that all is told.
# Hard case: a line's meaning depends on three consumers at once (preprocessor, tools, specmake or shell), and the
# tools are silent about most mistakes: they take an unknown option for a make variable.
package SpecConfig;
use strict;
use warnings;

my %directive = map { $_ => 1 } qw(define undef ifdef ifndef if elif else endif warning error);
my %directive_2017 = map { $_ => 1 } qw(info dumpmacros);

# known($folder, $suite): names by kind, from the file `suites`.
my %cache;

sub known {
	my ($folder, $suite) = @_;
	return $cache{$suite} if $cache{$suite};
	my %known = (set_of => {}, language => {});
	open my $in, '<', "$folder/suites" or die "$folder/suites: $!\n";
	while (my $line = <$in>) {
		next if $line =~ /^\s*(#|$)/;
		my ($for, $kind, @names) = split ' ', $line;
		next unless $for eq 'both' or $for eq $suite;
		if ($kind =~ /^bench:(.*)/) {
			$known{set_of}{$_} = $1 for @names;
		} elsif ($kind =~ /^need:(.*)/) {
			push @{ $known{need}{$_} }, $1 for @names;
		} elsif ($kind =~ /^lang:(.*)/) {
			$known{language}{$_} = $1 for @names;
		} else {
			$known{$kind}{$_} = 1 for @names;
		}
	}
	return $cache{$suite} = \%known;
}

# load($file, $suite, $known, %defines): sections and messages.
sub load {
	my ($file, $suite, $known, %defines) = @_;
	my $self = { file => $file, suite => $suite, known => $known, macros => {%defines}, messages => [],
		     sections => [], directives => [] };
	open my $in, '<', $file or die "$file: $!\n";
	chomp(my @lines = <$in>);
	close $in;
	section($self, 1, 'default', 'header');
	statements($self, joined($self, preprocessed($self, @lines)));
	return $self;
}

sub complain {
	my ($self, $line, $text) = @_;
	push @{ $self->{messages} }, "$self->{file}:$line: $text";
}

# --- the preprocessor: [number, text] of each line that is left ------------------------------------------------------

sub preprocessed {
	my ($self, @lines) = @_;
	my (@out, @open);
	my $number = 0;
	for my $text (@lines) {
		$number++;
		if ($text =~ /^%\s*(\w*)\s*(.*?)\s*$/) {
			direct($self, $number, $1, $2, \@open);
			next;
		}
		complain($self, $number, "a directive must have its % in column 1")
		    if $text =~ /^\s+%\s*(\w+)\b/ && ($directive{$1} || $directive_2017{$1});
		next if grep { !$_->{live} } @open;
		push @out, [$number, $text =~ /^\s*#/ ? $text : expanded($self, $number, $text)];
	}
	complain($self, $_->{line}, "%$_->{word} without %endif") for @open;
	return @out;
}

sub direct {
	my ($self, $line, $word, $rest, $open) = @_;
	my $dead = grep { !$_->{live} } @$open;
	if (!$directive{$word} && !($self->{suite} eq '2017' && $directive_2017{$word})) {
		complain($self, $line, "there is no directive %$word" . ($directive_2017{$word} ? " in CPU2006" : ''));
	} elsif ($word =~ /^(if|ifdef|ifndef)$/) {
		my $live = $dead ? 0 : truth($self, $line, $word, $rest);
		push @$open, { line => $line, word => $word, live => $live, done => $dead || $live };
	} elsif ($word =~ /^(elif|else)$/) {
		branch($self, $line, $word, $rest, $open);
	} elsif ($word eq 'endif') {
		complain($self, $line, "%endif without %if") unless pop @$open;
	} elsif (!$dead) {
		act($self, $line, $word, $rest);
	}
}

sub branch {
	my ($self, $line, $word, $rest, $open) = @_;
	my $top = $open->[-1] or return complain($self, $line, "%$word without %if");
	return complain($self, $line, "%$word behind the %else of line $top->{else}") if $top->{else};
	$top->{else} = $line if $word eq 'else';
	$top->{live} = $top->{done} ? 0 : $word eq 'else' ? 1 : truth($self, $line, 'if', $rest);
	$top->{done} ||= $top->{live};
}

sub act {
	my ($self, $line, $word, $rest) = @_;
	if ($word eq 'define') {
		my ($name, $value) = $rest =~ /^([^\s%{}]+)(?:\s+(.*))?$/
		    or return complain($self, $line, "%define wants a name and a value");
		complain($self, $line, "the macro $name is defined already") if exists $self->{macros}{$name};
		complain($self, $line, "the value of a macro cannot be continued") if ($value // '') =~ /\\$/;
		$value = '' unless defined $value;
		$value =~ s/\s+#.*//;
		$self->{macros}{$name} = expanded($self, $line, $value);
	} elsif ($word eq 'undef') {
		delete $self->{macros}{$rest};
	} elsif ($word eq 'error') {
		complain($self, $line, "%error $rest");
	}
}

sub truth {
	my ($self, $line, $word, $rest) = @_;
	if ($word ne 'if') {
		my ($name) = $rest =~ /^%\{([^{}]+)\}(?:\s+#.*)?$/;
		if (!defined $name) {
			complain($self, $line, "%$word wants one macro, written %{name}");
			return 0;
		}
		return (exists $self->{macros}{$name}) == ($word eq 'ifdef') ? 1 : 0;
	}
	# A condition that asks whether a macro is defined may go on to use it.
	my %asked = map { $_ => 1 } $rest =~ /defined\s*\(\s*%\{([^{}]+)\}/g;
	$rest =~ s/defined\s*\(\s*%\{([^{}]+)\}\s*\)/exists $self->{macros}{$1} ? 1 : 0/ge;
	my $quoted = sub { "'" . ($asked{$_[0]} ? $self->{macros}{$_[0]} // '' : value_of($self, $line, $_[0])) . "'" };
	$rest =~ s/(['"])%\{([^{}]+)\}\1/$quoted->($2)/ge;
	$rest =~ s/%\{([^{}]+)\}/$quoted->($1)/ge;
	my $token = qr/\s+|[=!]~\s*m?\/(?:(?!\(\?)[^\/\$\@])*\/|'[^'\\]*'|"[^"\$\@\\]*"|\d+(?:\.\d+)?|[=!<>]=|[<>!()*+-]|&&|\|\||\b(?:eq|ne|and|or|not)\b/;
	if ($rest !~ /^(?:$token)+$/) {
		complain($self, $line, "the condition '$rest' is more than defined, comparisons, and, or, not");
		return 0;
	}
	no warnings;
	my $value = eval $rest;
	complain($self, $line, "the condition '$rest' cannot be evaluated") if $@;
	return $value ? 1 : 0;
}

sub value_of {
	my ($self, $line, $name) = @_;
	return $self->{macros}{$name} if exists $self->{macros}{$name};
	return '' if $self->{suite} eq '2017' && $name =~ /^ENV_\w+$/;
	complain($self, $line, "the macro %{$name} is not defined");
	return '';
}

sub expanded {
	my ($self, $line, $text) = @_;
	1 while $text =~ s/%\{([^{}%]+)\}/value_of($self, $line, $1)/e;
	complain($self, $line, "'$1' is no macro: write %{name}") if $text =~ /(%\{[^}]*$|%\w+%?\{)/;
	return $text;
}

# --- continued lines and here documents: [number, text, continued] ----------------------------------------------------

sub joined {
	my ($self, @lines) = @_;
	my @out;
	while (my $entry = shift @lines) {
		my ($number, $text) = @$entry;
		next if $text =~ /^\s*(#|$)/;
		if ($text =~ /^([^#]*?=\s*)<<\s*(\w+)\s*$/) {
			push @out, [$number, $1 . here($self, $number, $2, \@lines), 'here document'];
			next;
		}
		complain($self, $number, "blanks behind the backslash: the next line would not be taken as a continuation")
		    if $text =~ /\\[ \t]+$/;
		my $continued = '';
		while ($text =~ s/\\$//) {
			$continued = 'backslash';
			last unless continues($self, $number, \@lines);
			$text .= "\n" . (shift @lines)->[1];
		}
		push @out, [$number, $text, $continued];
	}
	return @out;
}

sub here {
	my ($self, $number, $end, $lines) = @_;
	my @body;
	while (my $entry = shift @$lines) {
		return join "\n", @body if $entry->[1] =~ /^\s*\Q$end\E\s*$/;
		push @body, $entry->[1];
	}
	complain($self, $number, "the here document has no end '$end'");
	return '';
}

sub continues {
	my ($self, $number, $lines) = @_;
	my $next = @$lines ? $lines->[0][1] : undef;
	my $what = !defined $next ? 'the end of the file'
	    : $next =~ /^\s*$/ ? 'a blank line'
	    : $next =~ /^\s*#/ ? 'a comment'
	    : $next =~ /^[\w.,]+(=[\w.,-]+)*:\s*(#|$)/ ? 'a section marker'
	    : $next =~ /^\s*\w+\s*=(?!=)/ ? 'another option' : undef;
	return 1 unless $what;
	complain($self, $number, "the line is continued, but $what follows");
	return 0;
}

# --- sections and their settings ---------------------------------------------------------------------------------------

sub statements {
	my ($self, @lines) = @_;
	for my $entry (@lines) {
		my ($number, $text, $continued) = @$entry;
		if ($text =~ /^\s*([^\s=:]+(?:=[^=:]*)*):\s*(?:#.*)?$/) {
			my $marker = $1;
			complain($self, $number, "a section marker must not hold blanks or tabs") if $marker =~ /\s/;
			section($self, $number, split /=/, $marker, -1);
		} elsif ($text =~ /^\s*([A-Za-z][\w.]*)([ \t]*)(\+?=)[ \t]*(.*)$/s) {
			my ($name, $blanks, $value) = ($1, $2, $4);
			complain($self, $number, "a tab between '$name' and '='") if $blanks =~ /\t/;
			setting($self, $number, $name, $value, $continued);
		} elsif ($text !~ /^\s*include:\s*\S+/) {
			complain($self, $number, "neither 'option = value' nor a section marker: '" . first($text) . "'");
		}
	}
}

sub first {
	my ($line) = split /\n/, shift;
	$line =~ s/^\s+//;
	return $line;
}

sub section {
	my ($self, $line, @parts) = @_;
	my $header = @parts == 2 && $parts[1] eq 'header';
	my $most = $self->{suite} eq '2006' ? 4 : 3;
	@parts = $parts[0] if $header;
	complain($self, $line, "a section marker has at most $most parts") if @parts > $most;
	my ($bench, $tune, $label, $machine) = map { [split /,/, $_ // 'default'] } @parts[0 .. 3];
	for (@$bench) {
		next if $self->{known}{set}{$_} || $self->{known}{set_of}{$_};
		complain($self, $line, "'$_' is no benchmark and no set of SPEC CPU $self->{suite}" .
		    near($_, keys %{ $self->{known}{set_of} }, keys %{ $self->{known}{set} }));
	}
	for (@$tune) {
		complain($self, $line, "'$_' is no tuning: default, base or peak") unless /^(default|base|peak)$/;
	}
	for (@$label, @$machine) {
		complain($self, $line, "'$_' cannot be a label: letters, digits, _ - and . only") unless /^[\w.-]+$/;
	}
	my $all = join('=', map { @$_ } $bench, $tune, $label) eq 'default=default=default';
	push @{ $self->{sections} }, { line => $line, bench => $bench, tune => $tune, label => $label,
				       header => $header || $all, settings => [] };
}

sub setting {
	my ($self, $line, $name, $value, $continued) = @_;
	my $here = $self->{sections}[-1];
	$value =~ s/(?<!\\)#.*$//mg unless $name =~ /^notes/;
	$value =~ s/\s+$//;
	complain($self, $line, "'$name' is set already in this section, line $_->{line}")
	    for grep { $_->{name} eq $name } @{ $here->{settings} };
	push @{ $here->{settings} }, { line => $line, name => $name, value => $value, continued => $continued };
}

# near($name, @names): " (NAME?)" for a name that is spelled almost so.
sub near {
	my ($name, @names) = @_;
	my ($best, $least) = ('', 3);
	for my $other (sort @names) {
		next if abs(length($name) - length $other) > 2;
		my $distance = distance($name, $other);
		($best, $least) = ($other, $distance) if $distance < $least;
	}
	return $best ne '' ? "; $best?" : '';
}

sub distance {
	my ($one, $other) = @_;
	my @row = (0 .. length $other);
	for my $i (1 .. length $one) {
		my @next = ($i);
		for my $j (1 .. length $other) {
			my $cost = $row[$j - 1] + (substr($one, $i - 1, 1) ne substr($other, $j - 1, 1));
			my ($least) = sort { $a <=> $b } $cost, $row[$j] + 1, $next[$j - 1] + 1;
			push @next, $least;
		}
		@row = @next;
	}
	return $row[-1];
}

# --- what a benchmark gets ---------------------------------------------------------------------------------------------

# resolve($self, BENCHMARK, TUNING, LABEL): settings by name.  A benchmark outweighs its set, that a tuning, that a
# label; at the same rank the later section counts.
sub resolve {
	my ($self, $bench, $tune, $label) = @_;
	my (%value, %rank);
	for my $section (@{ $self->{sections} }) {
		my $b = part($section->{bench}, $bench, $self->{known}{set_of}{$bench} // '');
		my $t = part($section->{tune}, $tune, '');
		my $l = part($section->{label}, $label, '');
		next if $b < 0 || $t < 0 || $l < 0;
		my $rank = $b * 100 + $t * 10 + $l;
		for (@{ $section->{settings} }) {
			next if defined $rank{ $_->{name} } && $rank{ $_->{name} } > $rank;
			$rank{ $_->{name} } = $rank;
			$value{ $_->{name} } = $_->{value};
		}
	}
	return \%value;
}

sub part {
	my ($named, $wanted, $set) = @_;
	return 2 if grep { $_ eq $wanted } @$named;
	return 1 if grep { $_ eq $set } @$named;
	return (grep { $_ eq 'default' } @$named) ? 0 : -1;
}

sub labels {
	my ($self) = @_;
	my (%seen, @labels);
	for (map { @{ $_->{label} } } @{ $self->{sections} }) {
		push @labels, $_ unless $_ eq 'default' || $seen{$_}++;
	}
	return @labels;
}

1;
