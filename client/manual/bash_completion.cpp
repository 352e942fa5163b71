#include "client/manual/completion.h"
#include "client/slurm/control/scontrol.h"

namespace cox {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// Returns the command's name without "cox": "show job" for `cox show job`, "squeue" for squeue.
std::string key_of(const ManualCommand& command) {
  return joined(words_of(command.name));
}

std::string option_words(const ManualCommand& command) {
  std::string out;
  for (const auto& option : command.options)
    for (const auto& name : option.names) out += (out.empty() ? "" : " ") + name;
  return out;
}

// Returns the name of the shell function that prints the possible operands. Empty: the operands are
// files.
std::string operand_lister(const ManualCommand& command) {
  if (command.operands.empty()) return ":";
  if (command.name == "scontrol") return "_cox_scontrol";
  const std::string list = list_of_operand(command.operands.front().name);
  return list.empty() ? "" : "_cox_" + list;
}

// Returns the lines "'COMMAND OPTION') VALUES" of a shell `case`, for options that need a value. If
// VALUES is empty, file names are completed.
std::string value_cases(const ManualCommand& command) {
  std::string out;
  for (const auto& option : command.options) {
    if (option.value_name.empty() || option.value_optional) continue;
    std::string pattern;
    for (const auto& name : option.names)
      pattern += (pattern.empty() ? "'" : " | '") + key_of(command) + " " + name + "'";
    out += "    " + pattern + ") _cox_values='" + joined(option.values) + "'";
    if (!option.list.empty()) out += " _cox_list=_cox_" + option.list;
    out += " ;;\n";
  }
  return out;
}

// Completes the words of scontrol: the command, the kind of record, and the name of a record.
constexpr const char* scontrol_body = R"BASH(
  local word words=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] || words+="$word "
  done
  case ${words,,} in
    '') echo "$keywords" ;;
    'show ') echo "$entities" ;;
    'show job'* | hold* | uhold* | release* | requeue* | suspend* | resume* | top* | wait_job* | \
      listpids* | 'write batch_script '* | *'jobid ' | *'jobid = ') _cox_jobs ;;
    'show node'* | *'nodename ' | *'nodename = ') _cox_nodes ;;
    'show partition'* | *'partitionname ' | *'partitionname = ') _cox_partitions ;;
    'write ') echo batch_script ;;
    'create ') echo reservation ;;
    'delete ') echo ReservationName= ;;
    'update ') echo JobId= NodeName= PartitionName= ReservationName= ;;
  esac
}
)BASH";

// Shell functions that find out which command is on the command line and complete the word at the
// cursor.
constexpr const char* body = R"BASH(
# Completes the last word of a list with commas.
_cox_reply() {
  local before=${cur%"${cur##*,}"}
  COMPREPLY=($(compgen -P "$before" -W "$1" -- "${cur##*,}"))
  # NAME=VALUE goes on behind the =.
  [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2> /dev/null
}
_cox() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word
  local command=${COMP_WORDS[0]##*/} i=1 _cox_options _cox_lister _cox_values _cox_list
  COMPREPLY=()
  # bash splits --name=value at the =.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if [[ $command == cox ]]; then
    command=
    for ((; i < COMP_CWORD; ++i)); do
      word=${COMP_WORDS[i]}
      case $word in
        --config) ((++i)); [[ ${COMP_WORDS[i]} != = ]] || ((++i)) ;;
        --json) ;;
        *)
          command=$word
          if [[ $_cox_pairs == *" $word/"* ]]; then
            ((++i < COMP_CWORD)) && command+=" ${COMP_WORDS[i]}"
          fi
          break
          ;;
      esac
    done
    if [[ $i -ge $COMP_CWORD && $prev != --config ]]; then
      word=${_cox_pairs// /$'\n'}
      if [[ -n $command ]]; then
        word=$(grep "^$command/" <<< "$word" | sed 's,.*/,,')
      else
        word="$_cox_commands --json --config --help --version"
      fi
      COMPREPLY=($(compgen -W "$word" -- "$cur"))
      return
    fi
  fi
  if [[ " ${COMP_WORDS[*]:1:COMP_CWORD-1} " == *" -- "* ]]; then
    return  # the job's own command: files
  fi
  _cox_describe "$command" || return
  if _cox_values_of "$command $prev"; then
    [[ -z $_cox_list ]] || _cox_values=$($_cox_list)
    [[ -z $_cox_values ]] || _cox_reply "$_cox_values"
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$_cox_options" -- "$cur"))
  elif [[ -n $_cox_lister ]]; then
    _cox_reply "$($_cox_lister)"
  fi
}
)BASH";

}  // namespace

std::string list_of_operand(const std::string& operand) {
  if (operand == "JOB") return "jobs";
  if (operand == "NODE") return "nodes";
  return operand == "PARTITION" ? "partitions" : "";
}

std::string bash_completion(const std::vector<ManualCommand>& commands) {
  std::string first_words, pairs, describe, values;
  std::string programs = "cox";
  for (const auto& command : commands) {
    const auto words = words_of(command.name);
    const bool own = command.name.starts_with("cox ");
    if (own && words.size() == 2) pairs += " " + words[0] + "/" + words[1];
    if (!own) programs += " " + words[0];
    if (own && (" " + first_words + " ").find(" " + words[0] + " ") == std::string::npos)
      first_words += (first_words.empty() ? "" : " ") + words[0];
    describe += "    '" + key_of(command) + "') _cox_options='" + option_words(command) +
                "' _cox_lister='" + operand_lister(command) + "' ;;\n";
    values += value_cases(command);
  }
  std::string out = "# bash completion of coxswain's commands.\n";
  for (const Lister& each : listers)
    out += "_cox_" + std::string(each.list) + "() {\n  " + each.command + "\n}\n";
  out += "_cox_scontrol() {\n  local keywords='" + joined(control_keywords()) + "' entities='" +
         joined(shown_entities()) + "'" + scontrol_body;
  out += "_cox_commands='" + first_words + "'\n_cox_pairs='" + pairs + "'\n";
  out += "_cox_describe() {\n  case $1 in\n" + describe + "    *) return 1 ;;\n  esac\n}\n";
  out += "_cox_values_of() {\n  case $1 in\n" + values + "    *) return 1 ;;\n  esac\n}\n";
  out += body + 1;
  return out + "complete -o bashdefault -o default -F _cox " + programs + "\n";
}

}  // namespace cox
