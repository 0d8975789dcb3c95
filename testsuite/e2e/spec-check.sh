#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The SPEC configurations pass their checker, and the checker refuses each defect with the line where it is.
# shellcheck disable=SC2016 # $ and % below are the configurations' own
set -eu
. "$(dirname "$0")/lib.sh"
command -v perl >/dev/null || skip "perl is not installed"
configs=$TOP/spec-configs
check=$configs/check-configs

"$check" >"$T/out" || fail "the configurations have defects:
$(cat "$T/out")"

# broken SUITE WHAT SCRIPT LINE MESSAGE: the file changed by the sed SCRIPT must be refused with a message that matches
# MESSAGE in the line that LINE finds in the changed file (a number, or a pattern whose first match counts).
count=0
broken() {
	local suite=$1 what=$2 script=$3 line=$4 message=$5 file
	file=$T/cpu$suite-gcc12.cfg
	sed -E "$script" "$configs/cpu$suite-gcc12.cfg" >"$file"
	cmp -s "$file" "$configs/cpu$suite-gcc12.cfg" && fail "$what: the script changes nothing"
	case $line in
	*[!0-9]*) line=$(grep -nE -e "$line" "$file" | head -n 1 | cut -d: -f1) ;;
	esac
	if "$check" "$file" >"$T/out"; then
		fail "$what: accepted"
	fi
	grep -qE -e "^$file:$line: .*$message" "$T/out" || fail "$what: want $line: $message, got
$(cat "$T/out")"
	count=$((count + 1))
}

# The preprocessor.
broken 2017 'no %endif' '0,/^%endif/{/^%endif/d}' '^%ifndef %.gcc_dir' '%ifndef without %endif'
broken 2006 'no %ifndef' '0,/^%ifndef/{/^%ifndef/d}' '^%endif' '%endif without %if'
broken 2017 'two %else' 's/^%else$/%else\n%else  #/' '^%else +#' 'behind the %else of line'
broken 2006 'a directive behind a blank' 's/^%   define gcc_dir/  % define gcc_dir/' '^  % define' 'column 1'
broken 2006 'a directive behind a tab' 's/^%   define gcc_dir/\t%define gcc_dir/' '^.%define gcc' 'column 1'
broken 2017 'an unknown directive' 's/^%ifndef %\{copies\}/%ifnotdef %{copies}/' '^%ifnotdef' 'no directive %ifnotdef'
broken 2006 'a directive of the other suite' 's/^%   define gcc_dir.*/&\n%   info hello/' '^%   info' 'no directive %info in CPU2006'
broken 2017 '%ifdef without braces' 's/^%ifdef %\{march\}/%ifdef march/' '^%ifdef march' 'written %\{name\}'
broken 2017 'an undefined macro' 's/= %\{threads\}$/= %{thread}/' '%\{thread\}$' 'macro %\{thread\} is not defined'
broken 2006 'a macro of the environment' 's/gcc_dir \/usr/gcc_dir %{ENV_HOME}/' 'ENV_HOME' 'ENV_HOME\} is not defined'
broken 2006 'a macro defined twice' 's/^%   define build_ncpus 2/&\n%   define build_ncpus 3/' 'build_ncpus 3' 'defined already'
broken 2017 'a macro without its brace' 's/= %\{copies\}$/= %{copies/' '%\{copies$' 'no macro'
broken 2017 'a condition that cannot be read' 's/^%ifdef %\{march\}/%if %{march/' '^%if %\{march' 'condition'
broken 2017 'a defect in a branch that is taken on demand' 's/train_with  /train_wiht  /' 'train_wiht' "no option 'train_wiht'.*train_with\\?"
broken 2006 'a macro that is offered and not there' 's/^# Macros: --define march=native /# Macros: --define arch=native /' 'arch=native' "macro 'arch'"

# Sections.
broken 2017 'a benchmark spelled wrong' 's/^526.blender_r:/526.blendr_r:/' '^526' "'526.blendr_r' is no benchmark.*526.blender_r\\?"
broken 2006 'a benchmark in wrong case' 's/^447.dealII=/447.dealii=/' '^447' '447.dealII\?'
broken 2017 'a benchmark of the other suite' 's/^628.pop2_s:/481.wrf:/' '^481' 'no benchmark and no set of SPEC CPU 2017'
broken 2006 'a set of the other suite' 's/^482.sphinx3=/fprate=/' '^fprate' "'fprate' is no benchmark"
broken 2017 'a tuning that does not exist' 's/^default=peak=lbr:/default=peek=lbr:/' '^default=peek' 'no tuning'
broken 2017 'too many parts' 's/^default=peak=lbr:/default=peak=lbr=default:/' '=lbr=default' 'at most 3 parts'
broken 2006 'too many parts' 's/^default=peak=lbr=default:/&:/; s/=default::/=default=default:/' 'lbr=default=' 'at most 4 parts'
broken 2017 'no colon' 's/^default=peak=afdo:/default=peak=afdo/' '^default=peak=afdo' "set nowhere|no option|section marker|neither"
broken 2017 'a blank in a marker' 's/^default=peak=soft:/default=peak =soft:/' '^default=peak =' 'blanks'
broken 2017 'a label with a slash' 's/^default=peak=base:/default=peak=ba\/se:/' 'ba/se' 'cannot be a label'

# Options.
broken 2017 'an option spelled wrong' 's/^   feedback  /   feedbak   /' 'feedbak' "no option 'feedbak'.*feedback\\?"
broken 2006 'a make variable spelled wrong' 's/^   CXXPORTABILITY  /   CXXPORTABILTY   /' 'PORTABILTY' 'CXXPORTABILITY\?'
broken 2006 'an option of the other suite' 's/^ext  .*/label = base/' '^label' "CPU 2006 has no option 'label'"
broken 2017 'an option of the other suite' 's/^label  .*/ext = base/' '^ext' "CPU 2017 has no option 'ext'"
broken 2017 'an option of the header elsewhere' 's/^   train_single_thread.*/&\n   iterations = 2/' '^   iterations' 'header section only'
broken 2017 'set twice' 's/^   PASS1_OPTIMIZE    = -g/&\n&1/' '= -g1' 'set already'
broken 2017 'no yes and no no' 's/^   feedback          = yes/   feedback          = on/' 'feedback *= on' 'yes or no'
broken 2006 'no number' 's/^iterations .*/iterations = three/' '^iterations' 'a number'
broken 2017 'feedback in base' 's/^default=peak=soft:/default=base=soft:/' 'hook begin soft' 'feedback is not allowed in base'
broken 2017 'preENV where it is ignored' 's/^628.pop2_s:/&\n   preENV_OMP_STACKSIZE = 1G/' 'STACKSIZE = 1G' 'ignored here'
broken 2006 'no option at all' 's/^ext  .*/ext base/' '^ext base' 'neither'
broken 2006 'a tab before =' 's/^ext +=/ext\t=/' '^ext' 'tab between'

# Continued lines.
broken 2017 'continued into a blank line' 's/^(   VARIANT_FLAGS     = -fprofile-generate)$/\1 \\\n/' 'generate .$' 'a blank line follows'
broken 2017 'continued into a section' 's/^(   VARIANT_FLAGS     = -fprofile-generate)$/\1 \\/' 'generate .$' 'a section marker follows'
broken 2006 'continued over the end' '$s/$/ \\/' 'peak_ptrsize' 'the end of the file follows'
broken 2006 'blanks behind the backslash' 's/^(   PROFILE_FLAGS     = -fipa-cp-clone) /\1 \\ \n   /' 'clone .' 'blanks behind the backslash'
broken 2006 'a make variable in two lines' 's/^(   PROFILE_FLAGS     = -fipa-cp-clone) /\1 \\\n   /' 'clone .$' 'line break'
broken 2017 'a here document without end' 's/^sysinfo_program .*/sysinfo_program = <<EOT/' 'EOT' "no end 'EOT'"

# Variables.
broken 2017 'a variable of the other suite' 's/begin lbr \$\{benchmark\} \$\{label\}/begin lbr ${benchmark} ${ext}/' 'begin lbr' 'no \$\{ext\}'
broken 2006 'a variable of the other suite' 's/begin lbr \$\{benchmark\} \$\{ext\}/begin lbr ${benchmark} ${label}/' 'begin lbr' 'no \$\{label\}'
broken 2017 'a variable of the shell' 's/begin lbr/begin lbr$HOME/' 'begin lbr' 'write ..HOME'
broken 2017 'a startup variable' 's/\$\[top\](.*begin soft)/$[topp]\1/' 'begin soft' 'no \$.topp'
broken 2017 'a make variable' 's/\$\(VARIANT_FLAGS\)$/$(VARIANT)/' 'VARIANT\)' 'no make variable \$\(VARIANT\)'
broken 2017 'braces that must not be' 's/ -- \$\{command\}$/ -- ${command} ${SPECCOPYNUM}/' 'SPECCOPYNUM' 'must not have braces'
broken 2006 'a run without the benchmark' 's/(record soft .*) -- \$\{command\}$/\1/' 'record soft' 'does not run'

# What a variant must have, for every benchmark.
broken 2017 'no variant' '/^default=peak=flags:/,/^$/d' 1 "no section for the variant 'flags'"
broken 2006 'no -g' 's/-O2 -g \$/-O2 $/' '=base=default:' 'without -O2 -g'
broken 2017 'no training' '/record soft .*label/{/fdo_run1/d}' '^default=peak=soft:' 'fdo_run1 is missing'
broken 2017 'the wrong recorder' 's/(fdo_run1.*record) lbr/\1 soft/' '^default=peak=lbr:' 'fdo_run1 is '
broken 2006 'no second pass for Fortran' '0,/^   PASS2_FFLAGS  *= @/{/^   PASS2_FFLAGS  *= @/d}' '=clock=default:' 'PASS2_FFLAGS is missing'
broken 2017 'flags lost to a benchmark' 's/^(505.mcf_r.*)/\1\n   VARIANT_FLAGS = -O3/' '^default=peak=flags:' 'flags, 505.mcf_r, 605.mcf_s: VARIANT_FLAGS is'
broken 2017 'OPTIMIZE lost to a set' 's/^fpspeed:/&\n   OPTIMIZE = -O3/' '^default=peak=base:' "base, 603.bwaves_s.*and 8 more: OPTIMIZE is '-O3'"
broken 2017 'no version option' '/FC_VERSION_OPTION/d' 1 "'FC_VERSION_OPTION' is set nowhere"
broken 2017 'a monitor in a reportable run' 's/^reportable .*/reportable = yes/' '=record_soft:' 'reportable'

broken 2017 'a workaround gone' 's/-fcommon$/-g/' '^default=peak=base:' 'base, 525.x264_r, 625.x264_s: lacks -fcommon'
broken 2006 'a workaround overridden' 's/^481.wrf=.*/&\n   EXTRA_FFLAGS = -g/' '=base=default:' '481.wrf: lacks -fallow-argument-mismatch'

# What the documentation allows is not refused, whatever the macros are.
cat "$configs/cpu2017-gcc12.cfg" - >"$T/cpu2017-more.cfg" <<'END'
%if defined(%{march}) && %{march} eq 'native'
%   define tuned 1
%elif !defined(%{march}) || %{march} !~ m/^x86-64/
%   define tuned 0
%else
%   define tuned 2
%endif
%if %{tuned} == 2 or (%{tuned} > 5)   
%   info neither plain nor native
%endif
%undef tuned

include: machine.inc
default:   # the header again
   #> a comment that stays here
   expand_notes      = 1
   notes_plat_010    = 42 TB  # this belongs to the note
   hw_memory001      = 64 GB
   hw_memory002      = in four modules
   hw_other          = Mr. Lee's \#1
   bind              = \
      0 2 4 \
      6 8
   notes_plat_020    = <<EOT
   %percent, = and : are text here
EOT
   submit0           = echo '\$\$ of \$HOME' > dobmk; echo "${command}" >> dobmk
   submit1           = taskset -c $BIND sh dobmk $SPECCOPYNUM; echo ${command}
541.leela_r,641.leela_s=base,peak=base,soft:
   env_vars          = yes
   ENV_LD_LIBRARY_PATH = %{ENV_SPEC}/lib:%{ENV_LD_LIBRARY_PATH}
   MY_OWN            = -g
   EXTRA_CXXFLAGS    = $(MY_OWN)
   COPTIMIZE         = %undef%
END
"$check" "$T/cpu2017-more.cfg" >"$T/out" || fail "refused: $(cat "$T/out")"

# The page: its commands must name what is there.
page() {
	local what=$1 command=$2 message=$3
	printf 'Run\n\n    $ %s\n' "$command" >"$T/README.md"
	if "$check" "$T/README.md" >"$T/out"; then
		fail "$what: accepted"
	fi
	grep -qE -e "^$T/README.md:3: .*$message" "$T/out" || fail "$what: want $message, got '$(cat "$T/out")'"
	count=$((count + 1))
}
page 'a label' 'runcpu --config=cpu2017-gcc12 --tune=peak --label=sofd intrate' "no section for the label 'sofd'"
page 'a configuration' 'runcpu --config=cpu2017-gcc13 --tune=peak --label=soft intrate' 'no configuration'
page 'the other tool' 'runspec --config=cpu2017-gcc12 --tune=peak intrate' 'is for runcpu'
page 'an option' 'runspec --config=cpu2006-gcc12 --tune=peak --label=soft int' 'no option --label'
page 'a benchmark' 'runcpu --config=cpu2017-gcc12 --tune=peak --label=soft 505.mcf' "'505.mcf' is no benchmark"
page 'a tuning' 'runcpu --config=cpu2017-gcc12 --tune=base --label=soft intrate' 'peak builds'
page 'a macro' 'runcpu --config=cpu2017-gcc12 --define native=yes --label=soft intrate' 'no macro'
page 'a size' 'runcpu --config=cpu2017-gcc12 --size=large --label=soft intrate' 'test, train or ref'

# The flags of a profile are those of `pathfdo compare`.
alone=$(sed -n '/^#define PROFILE_FLAGS/,/^$/p' "$TOP/analysis/collect.c" | grep -o '"[^"]*"' | tr -d '"\n')
for suite in 2006 2017; do
	got=$(sed -n 's/^   PROFILE_FLAGS     = //p' "$configs/cpu$suite-gcc12.cfg")
	check_eq "the flags of a profile in cpu$suite" "$got" "$alone"
done
# shellcheck disable=SC2086 # options are words
echo 'int main(void) { return 0; }' | $CC -O2 $alone -x c -S -o /dev/null - || fail "the compiler does not know the flags"
echo "$count defects refused"
