# Completion of holonom for bash, computed by `holonom complete`; where that prints nothing, files are offered.
_holonom()
{
  local words kept
  read -ra words <<<"${COMP_LINE:0:COMP_POINT}"
  [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
  mapfile -t COMPREPLY < <("${words[0]}" complete "${words[@]:1}" 2>/dev/null)
  # bash replaces only the text after the last word break; : and = are word breaks.
  kept=${words[-1]%"${words[-1]##*[:=]}"}
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -o default -F _holonom holonom
