# SPDX-License-Identifier: GPL-3.0-or-later
# What Perl is used for: mail headers through regular expressions, hashes of hashes, reports, some objects and numbers.
# The argument decides seed, sizes and which checks run, so that training and measurement differ.
use strict;
use warnings;

my $kind = $ARGV[0];
my ($state, $mails, $rounds) = @{{ train => [17, 9000, 5], ref => [4711, 14000, 5], small => [99, 550, 1] }->{$kind}};

sub random {
	my $below = shift;
	$state = ($state * 1103515245 + 12345) & 0x7fffffff;
	return ($state >> 8) % $below;
}

my @words = map { join '', map { (qw(ba de ki lo mu na pe ri so tu))[random(10)] } 1 .. 2 + random(3) } 1 .. 600;

sub mail {
	my $lines = 3 + random(8);
	my $from = "user" . random(90) . "\@host" . random(12) . (random(4) ? ".example.org" : ".test");
	my $text = "From: $from\nSubject: " . join(' ', map { $words[random(600)] } 1 .. 1 + random(6)) . "\n";
	$text .= "Received: by relay" . random(5) . " at 2026-0" . (1 + random(9)) . "-1" . random(10) . "\n" for 1 .. random(4);
	$text .= "\n";
	$text .= join(' ', map { $words[random(600)] } 1 .. 4 + random(9)) . (random(9) ? "" : " = " . random(10000)) . "\n"
		for 1 .. $lines;
	return $text;
}

sub score {
	my ($header, $body) = @_;
	my $score = 0;
	$score += 3 if $header =~ /^Subject: (\w+)\s+.*\b\1\b/m;
	$score += 2 if $header =~ /^From: \w+@[\w.]+\.test$/m;
	$score += () = $header =~ /^Received: by (relay[13]) at (\d+)-(\d\d)-/mg;
	$score += () = $body =~ /\b(?:ba|de)\w*(?:lo|mu)\b/g;
	$score -= 1 while $body =~ /= (\d+)$/mg;
	return $score;
}

package Tally {
	sub new { my ($class, %start) = @_; return bless {%start}, $class }
	sub add { my ($self, $key, $by) = @_; $self->{$key} += $by; return $self }
	sub top {
		my ($self, $n) = @_;
		my @keys = sort { $self->{$b} <=> $self->{$a} || $a cmp $b } keys %$self;
		return map { sprintf "%s=%d", $_, $self->{$_} } @keys[0 .. ($n < @keys ? $n : @keys) - 1];
	}
}

package Tally::Capped {
	our @ISA = ('Tally');
	sub add { my ($self, $key, $by) = @_; return $self->{$key} && $self->{$key} > 400 ? $self : $self->SUPER::add($key, $by) }
}

package main;

sub rewrite {
	my $text = shift;
	$text =~ s/\b(\w)(\w*)/\u$1$2/g if $kind ne 'train';
	$text =~ s/(\d+)-(\d+)-(\d+)/$3.$2.$1/g;
	$text =~ tr/aeiou/uoiea/;
	return length(join '|', split /\s+/, $text);
}

sub matrix {
	my $n = shift;
	my @a = map { my $i = $_; [map { ($i * $_) % 17 } 1 .. $n] } 1 .. $n;
	my $trace = 0;
	for my $i (0 .. $n - 1) {
		for my $j (0 .. $n - 1) {
			my $sum = 0;
			$sum += $a[$i][$_] * $a[$_][$j] for 0 .. $n - 1;
			$trace += $sum if $i == $j;
		}
	}
	return $trace;
}

for my $round (1 .. $rounds) {
	my ($users, $words, $spam, $length) = (Tally->new, Tally::Capped->new, 0, 0);
	my %seen;
	for (1 .. $mails) {
		my ($header, $body) = split /\n\n/, mail(), 2;
		my $score = score($header, $body);
		$spam++ if $score > 4;
		my ($user, $host) = $header =~ /^From: (\w+)@([\w.]+)/m or next;
		$seen{$host}{$user} = $score;
		$users->add($user, $score);
		$words->add($_, 1) for grep { length > 5 } split / /, $body;
		$length += rewrite($kind eq 'train' ? $header : $body);
	}
	print join(' ', $users->top(4), $words->top(3), $spam, $length), "\n";
	for my $host (sort keys %seen) {
		my $best = (sort { $seen{$host}{$b} <=> $seen{$host}{$a} || $a cmp $b } keys %{$seen{$host}})[0];
		printf "%-22s %5d %s\n", $host, scalar keys %{$seen{$host}}, $best;
	}
	print matrix($kind eq 'small' ? 12 : 40 + 10 * $round), "\n";
}
