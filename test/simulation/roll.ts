import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Rollable } from './cluster';
import { entriesOf, type Recorded } from './history';
import { type Plan } from './schedule';
import { type Violation } from './rules/violation';

/** HAProxy asks each second whether an API is ready. */
const noticedWithinMs = 3_000;

export interface Restart {
  name: string;
  seconds: number;
}

/** Restarts each part, one after the other. */
export async function roll(parts: readonly Rollable[], tell: (line: string) => void): Promise<Restart[]> {
  const restarts: Restart[] = [];
  for (const part of parts) {
    await sleep(noticedWithinMs);
    const beganAt = performance.now();
    await part.restart();
    const seconds = (performance.now() - beganAt) / 1000;
    restarts.push({ name: part.name, seconds });
    tell(`${part.name} was restarted in ${seconds.toFixed(1)} s`);
  }
  return restarts;
}

export interface RollOutcome {
  date: string;
  commit: string;
  seed: number;
  options: string;
  seconds: number;
  purchases: number;
  requests: number;
  events: number;
  /** Reconnections of sockets, whose API or proxy has ended. */
  reconnections: number;
  slowestSeconds: number;
  /** How busy the machine was, other programs included. */
  load: string;
  restarts: readonly Restart[];
  failed: Recorded[];
  lostEvents: number;
  doubleCharges: number;
  violations: readonly Violation[];
}

interface Rolled {
  plan: Plan;
  commit: string;
  seconds: number;
  history: readonly Recorded[];
  violations: readonly Violation[];
  restarts: readonly Restart[];
}

const about = (violations: readonly Violation[], ...rules: string[]) =>
  violations.filter(({ rule }) => rules.includes(rule)).length;

export function sumUpRoll({ plan, commit, seconds, history, violations, restarts }: Rolled): RollOutcome {
  const listening = entriesOf(history, 'listening');
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    commit,
    seed: plan.seed,
    options: plan.options,
    seconds: Math.round(seconds),
    purchases: plan.operations.length,
    requests: entriesOf(history, 'sent').length,
    events: entriesOf(history, 'heard').length,
    reconnections: listening.length - new Set(listening.map(({ actor }) => actor)).size,
    slowestSeconds: findSlowest(history),
    load: describeLoad(),
    restarts,
    failed: findFailed(history),
    lostEvents: about(violations, 'events'),
    doubleCharges: about(violations, 'money', 'one effect per key'),
    violations,
  };
}

/** The processes that were ready to run, on average of the last five minutes. */
const describeLoad = () => `${loadavg()[1]?.toFixed(1)} on ${availableParallelism()} processors`;

/** Requests without an answer, and answers that a correct request must not get. */
export function findFailed(history: readonly Recorded[]): Recorded[] {
  return history.filter((entry) => entry.kind === 'unheard' || (entry.kind === 'answered' && entry.status >= 400));
}

function findSlowest(history: readonly Recorded[]): number {
  const nameOf = ({ operation, attempt }: { operation: number; attempt: number }) => `${operation} ${attempt}`;
  const sent = new Map(entriesOf(history, 'sent').map((entry) => [nameOf(entry), entry.at]));
  const tookMs = entriesOf(history, 'answered').map((entry) => entry.at - (sent.get(nameOf(entry)) ?? entry.at));
  return Math.max(0, ...tookMs) / 1000;
}

const linesShown = 20;

export function describeRoll(outcome: RollOutcome): string {
  const { failed, violations, lostEvents, doubleCharges, restarts } = outcome;
  return [
    `npm run cluster -- ${outcome.options}`,
    `Commit ${outcome.commit}, ${outcome.seconds} s, load of the machine ${outcome.load}`,
    `${outcome.purchases} purchases in ${outcome.requests} requests, the slowest ${outcome.slowestSeconds.toFixed(1)} s`,
    `${outcome.events} events heard, ${outcome.reconnections} reconnections of sockets`,
    `Restarted: ${restarts.map(({ name, seconds }) => `${name} (${seconds.toFixed(1)} s)`).join(', ')}`,
    ...failed.slice(0, linesShown).map((entry) => `FAILED ${JSON.stringify(entry)}`),
    ...violations.slice(0, linesShown).map(({ rule, what }) => `VIOLATION of ${rule}: ${what}`),
    `${failed.length} failed requests, ${lostEvents} lost events, ${doubleCharges} double charges, ${violations.length} violations`,
  ].join('\n');
}

const head = `# Results of rolling restarts

\`npm run cluster -- --roll --report docs/cluster-results.md\` adds a line. [Reliability](reliability.md#the-cluster) explains it.

| Date (UTC) | Commit | Seed | Seconds | Purchases | Requests | Slowest (s) | Events | Reconnections | Restarts | Failed requests | Lost events | Double charges | Other violations | Options | Load of the machine |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`;

/** The table with the line of a run, from the text of the file so far. */
export function withRollResult(text: string, outcome: RollOutcome): string {
  const { date, commit, seed, seconds, purchases, requests, slowestSeconds, events, reconnections } = outcome;
  const { restarts, failed, lostEvents, doubleCharges, violations, options, load } = outcome;
  const others = violations.length - lostEvents - doubleCharges;
  const counts = [restarts.length, failed.length, lostEvents, doubleCharges, others];
  const cells = [date, commit, seed, seconds, purchases, requests, slowestSeconds.toFixed(1), events, reconnections];
  return `${text || head}| ${[...cells, ...counts, options, load].join(' | ')} |\n`;
}
