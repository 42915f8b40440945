# What bash completes the last word to: complete.sh COMPLETION WORD...
# Files come in the order of their names, other words in that of the completion.
source "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_bsgpc 2>/dev/null
if [ "${#COMPREPLY[@]}" -gt 0 ] && [ -e "${COMPREPLY[0]}" ]; then
  mapfile -t COMPREPLY < <(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort)
fi
echo "${COMPREPLY[*]}"
