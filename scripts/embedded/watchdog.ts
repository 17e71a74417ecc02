import { type ChildProcess, spawn } from 'node:child_process';

/**
 * Reads lines of `SIGNAL pid SIGNAL pid …`. Each line replaces the previous one. If the input ends without a dismissal,
 * the process that wrote it has ended in any way: the processes of the last line are then stopped in that order.
 */
const script = `
runs() {
  kill -0 "$1" 2>/dev/null || return 1
  # Without an init process (in some containers), an orphan that has ended stays listed as a zombie.
  [ ! -r "/proc/$1/stat" ] || ! grep -q ') Z ' "/proc/$1/stat"
}
while read -r line; do last=$line; done
set -- "$1" $last
folder=$1; shift
while [ $# -gt 1 ]; do
  kill -s "$1" "$2" 2>/dev/null
  tries=0
  while [ $tries -lt 150 ] && runs "$2"; do sleep 0.1; tries=$((tries + 1)); done
  ! runs "$2" || kill -s KILL "$2" 2>/dev/null
  shift 2
done
[ -z "$folder" ] || rm -rf "$folder"
`;

/** A shell of 1 MB that outlives this process only to clean up after it, because after a `kill -9` nothing else can. */
export class Watchdog {
  private shell: ChildProcess | undefined;

  constructor(private readonly removeFolder = '') {}

  watch(processes: readonly { pid: number; stopSignal: NodeJS.Signals }[]): void {
    this.shell ??= this.begin();
    this.shell?.stdin?.write(`${processes.map(({ pid, stopSignal }) => `${stopSignal.slice(3)} ${pid}`).join(' ')}\n`);
  }

  dismiss(): void {
    this.shell?.kill('SIGKILL');
    this.shell = undefined;
  }

  private begin(): ChildProcess {
    const shell = spawn('/bin/sh', ['-c', script, 'watchdog', this.removeFolder], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    shell.on('error', () => {});
    shell.stdin.on('error', () => {});
    shell.unref();
    return shell;
  }
}
