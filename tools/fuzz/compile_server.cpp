// compile_server: bsgpc's command line many times, each in a fork of this process: what it costs to start a compiler
// (its libraries, mostly LLVM's, and the standard library's text) is paid once. tools/fuzz/compilers.py talks to it.
//
// A request is a line: CPU-SECONDS, SECONDS, MEGABYTES (0: no limit) and the arguments, with tabs between.
// The answer is a line: exit status or minus the signal, CPU milliseconds, kilobytes at most, bytes of standard output,
// bytes of standard error; then those two.
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile/session.h"
#include "driver/command_line.h"

namespace {

constexpr rlim_t kMostOutput = rlim_t(64) << 20; // bytes

struct Request {
  rlim_t cpu_seconds = 0;
  int seconds = 0;
  rlim_t megabytes = 0;
  std::vector<std::string> arguments;
};

Request parsed(const std::string& line) {
  std::vector<std::string> fields(1);
  for (char c : line)
    if (c == '\t')
      fields.emplace_back();
    else
      fields.back() += c;
  fields.resize(std::max<size_t>(fields.size(), 3));
  Request request;
  request.cpu_seconds = std::strtoul(fields[0].c_str(), nullptr, 10);
  request.seconds = std::atoi(fields[1].c_str());
  request.megabytes = std::strtoul(fields[2].c_str(), nullptr, 10);
  request.arguments.assign(fields.begin() + 3, fields.end());
  return request;
}

void limit(int what, rlim_t amount) {
  if (amount == 0)
    return;
  rlimit both{amount, amount};
  setrlimit(what, &both);
}

int commandLine(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bsgpc");
  std::vector<char*> argv;
  for (std::string& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  return bsgp::driver::runCommandLine(static_cast<int>(arguments.size()), argv.data());
}

[[noreturn]] void compile(const Request& request, int out, int err) {
  int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(out, 1);
  dup2(err, 2);
  limit(RLIMIT_CPU, request.cpu_seconds);
  limit(RLIMIT_AS, request.megabytes << 20);
  limit(RLIMIT_FSIZE, kMostOutput);
  limit(RLIMIT_CORE, 1);
  std::exit(commandLine(request.arguments));
}

// Kills what takes longer.
int waitFor(pid_t child, int seconds, rusage& used) {
  pollfd ended{static_cast<int>(syscall(SYS_pidfd_open, child, 0)), POLLIN, 0};
  if (ended.fd >= 0) {
    if (poll(&ended, 1, seconds > 0 ? seconds * 1000 : -1) == 0)
      kill(child, SIGKILL);
    close(ended.fd);
  }
  int status = 0;
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string contents(int file) {
  std::string text(static_cast<size_t>(lseek(file, 0, SEEK_END)), '\0');
  size_t have = 0;
  while (have < text.size()) {
    ssize_t more = pread(file, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (more <= 0)
      break;
    have += static_cast<size_t>(more);
  }
  text.resize(have);
  return text;
}

long milliseconds(const timeval& time) {
  return time.tv_sec * 1000 + time.tv_usec / 1000;
}

void answer(const Request& request) {
  int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
  pid_t child = out < 0 || err < 0 ? -1 : fork();
  if (child < 0) {
    std::perror("compile_server");
    std::exit(1);
  }
  if (child == 0)
    compile(request, out, err);
  rusage used{};
  int status = waitFor(child, request.seconds, used);
  std::string said = contents(out), complained = contents(err);
  std::cout << status << ' ' << milliseconds(used.ru_utime) + milliseconds(used.ru_stime) << ' ' << used.ru_maxrss
            << ' ' << said.size() << ' ' << complained.size() << '\n'
            << said << complained << std::flush;
  close(out);
  close(err);
}

} // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (bool gpu : {false, true})
    (void)bsgp::compile::Session::ofProcess().library().prelude(gpu);
  std::string line;
  while (std::getline(std::cin, line))
    answer(parsed(line));
}
