export function say(text: string): void {
  console.log(text);
}

/** One line per step: the action, the request, the answer and the duration. */
export function step(what: string, sent: string, answer: string | number, tookMs: number, outcome: string): void {
  const line = [
    what.padEnd(33),
    sent.padEnd(34),
    String(answer).padStart(3),
    `${tookMs.toFixed(0).padStart(5)} ms`,
    outcome,
  ];
  say(line.join('  ').trimEnd());
}

/** An event that arrived without a request, with the time since its cause. */
export function event(type: string, afterMs: number, outcome: string): void {
  step('  event', type, '<-', afterMs, outcome);
}

/** Ids of 36 and tokens of 27 characters would make lines unreadable. */
export function shortened(path: string): string {
  return path.replaceAll(/[\w-]{20,}/g, (id) => `${id.slice(0, 8)}...`);
}

/** The day of a time in Unix seconds. */
export const day = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
