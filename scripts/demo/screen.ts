export function say(text: string): void {
  console.log(text);
}

/** One line a step: what was done, what was sent, what came back, and how long it took. */
export function step(what: string, sent: string, answer: string | number, tookMs: number, told: string): void {
  const line = [
    what.padEnd(33),
    sent.padEnd(34),
    String(answer).padStart(3),
    `${tookMs.toFixed(0).padStart(5)} ms`,
    told,
  ];
  say(line.join('  ').trimEnd());
}

/** What nobody asked for: it came by itself, so long after what caused it. */
export function event(type: string, afterMs: number, told: string): void {
  step('  event', type, '<-', afterMs, told);
}

/** Ids of 36 and tokens of 27 characters make no line readable. */
export function shortened(path: string): string {
  return path.replaceAll(/[\w-]{20,}/g, (id) => `${id.slice(0, 8)}...`);
}

/** A day of Unix seconds. */
export const day = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString().slice(0, 10);
