import { appendFileSync, readFileSync } from 'node:fs';
import { type Fault, type OperationKind } from './schedule';

/** The fields of an answer that rules need. A history contains no tokens. */
export interface Told {
  subscription_id?: string;
  transaction?: string;
  /** The claim of a purchase in an app store. */
  external_payment_id?: string;
  /** The uuid of a registered account. */
  uuid?: string;
  /** How far the merchant's clock is ahead. */
  ahead?: number;
  /** The balance in the currency that only adjustments change. */
  balanceMinor?: number;
  /** The tokens of the listed subscriptions. */
  listed?: string[];
  /** The state of a subscription. */
  status?: string;
  cancel_at_period_end?: boolean;
  access_fee_id?: number;
  /** 0: no plan waits for the next period. */
  pending_access_fee_id?: number;
  error?: string;
  explain?: string;
}

interface Attempt {
  actor: string;
  operation: number;
  /** Counts the requests of an operation. All of them have one key. */
  attempt: number;
}

export interface Sent extends Attempt {
  kind: 'sent';
  what: OperationKind | 'register' | 'sign in';
  /** Undefined: no key. */
  key?: string | undefined;
  method: string;
  path: string;
  fields: Record<string, unknown>;
}

export interface Answered extends Attempt {
  kind: 'answered';
  status: number;
  body: Told;
}

/** The client does not know whether the request had an effect. */
export interface Unheard extends Attempt {
  kind: 'unheard';
  reason: string;
}

export interface Listening {
  kind: 'listening';
  actor: string;
  merchantUuid: string;
  /** Undefined: the socket of a merchant hears the events of all accounts. */
  accountUuid?: string | undefined;
  after: number;
}

export interface Heard {
  kind: 'heard';
  actor: string;
  id: number;
  type: string;
  /** The subscription or the payment, and the amount, if the event has them. */
  subject?: string | undefined;
  amountMinor?: number | undefined;
}

/** The back end of a merchant receives the webhooks of all its events from now on. */
export interface Receiving {
  kind: 'receiving';
  actor: string;
  merchantUuid: string;
}

export interface Received {
  kind: 'received';
  actor: string;
  id: number;
  type: string;
  accountUuid: string;
  isAccepted: boolean;
}

export interface Happened extends Fault {
  kind: 'fault';
  state: 'begins' | 'ends' | 'missed';
}

export interface Skipped {
  kind: 'skipped';
  actor: string;
  operation: number;
}

export type Entry = Sent | Answered | Unheard | Listening | Heard | Receiving | Received | Happened | Skipped;

/** `line` is the line of the history file, and `at` the milliseconds since the start of the run. */
export type Recorded<E extends Entry = Entry> = E & { line: number; at: number };

/** Keeps the history in memory, and writes each entry to the file at once. */
export class HistoryFile {
  readonly entries: Recorded[] = [];
  private readonly beganAt = Date.now();

  constructor(private readonly file: string) {}

  add(entry: Entry): void {
    const recorded = { line: this.entries.length + 1, at: Date.now() - this.beganAt, ...entry };
    this.entries.push(recorded);
    appendFileSync(this.file, `${JSON.stringify(recorded)}\n`);
  }
}

export function readHistory(file: string): Recorded[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Recorded);
}

/** The entries of one kind, in order. */
export function entriesOf<K extends Entry['kind']>(
  history: readonly Recorded[],
  kind: K,
): Recorded<Extract<Entry, { kind: K }>>[] {
  return history.filter((entry): entry is Recorded<Extract<Entry, { kind: K }>> => entry.kind === kind);
}
