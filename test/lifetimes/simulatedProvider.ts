import { type Random } from './random';

/** The payment provider of a simulated lifetime. Its ledger, and not the service's, says what the payer was charged. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** As Stripe does, the provider forgets an idempotency key after a day. */
const keyLifeMs = dayMs;
/** The time in which a bank decides on a direct debit, in the merchant's time. */
const debitMs = 5 * dayMs;

export type PayerMood = 'pays' | 'soft' | 'hard' | 'later' | 'authenticates' | 'ignores';

export interface LedgerEntry {
  key: string;
  amountMinor: number;
  state: 'paid' | 'declined' | 'requires_action' | 'processing';
  decline: 'soft' | 'hard' | 'later';
  createdMs: number;
  /** When the bank decides on the direct debit, in the merchant's time. */
  decidesMs?: number;
  /** The service must refund the debit if the bank pays it, because the service has given it up. */
  isGivenUp?: true;
  refunded?: true;
  /** The payer's bank has taken the money back. */
  reversed?: true;
}

export type ProviderResult =
  | { outcome: 'paid' | 'requires_action' | 'processing' | 'not_sent' | 'unknown' | 'misconfigured' }
  | { outcome: 'declined'; decline: 'soft' | 'hard' | 'later' };

export interface Fault {
  fromMs: number;
  toMs: number;
  /** A misconfigured account refuses charges and answers questions. A disconnected one cannot be asked either. */
  kind: 'down' | 'misconfigured' | 'disconnected';
}

export interface ProviderSettings {
  random: Random;
  faults: readonly Fault[];
  nowMs: () => number;
  merchantNowMs: () => number;
  /** How the payer's card or bank behaves at this moment. */
  mood: () => PayerMood;
  isDebit: () => boolean;
  /** The payer answers an authentication, or a bank has decided. */
  notify: (afterMs: number) => void;
}

export class SimulatedProvider {
  readonly ledger: LedgerEntry[] = [];

  constructor(private readonly settings: ProviderSettings) {}

  /** `atMs` is the time of the charge, in the merchant's time. */
  charge(key: string, amountMinor: number, isOffSession: boolean, atMs: number): ProviderResult {
    const { random } = this.settings;
    const fault = this.faultNow();
    if (fault && fault.kind !== 'down') return { outcome: 'misconfigured' };
    const isSent = !fault || random.chance(0.4);
    if (isSent) this.enter(key, amountMinor, isOffSession, atMs);
    // A provider that is down has processed some of the requests whose answer is lost.
    if (fault) return { outcome: !isSent && random.chance(0.5) ? 'not_sent' : 'unknown' };
    return this.resultOf(this.find(key));
  }

  lookUp(key: string): ProviderResult {
    return this.isSilent() ? { outcome: 'unknown' } : this.resultOf(this.find(key));
  }

  void(key: string): ProviderResult {
    if (this.isSilent()) return { outcome: 'unknown' };
    const entry = this.find(key);
    if (entry?.state === 'requires_action') Object.assign(entry, { state: 'declined', decline: 'later' });
    return this.resultOf(entry);
  }

  /** The newest entry of a key: after a day the same key makes a second one. */
  find(key: string): LedgerEntry | undefined {
    const entry = this.ledger.findLast((one) => one.key === key);
    if (entry?.state === 'processing' && (entry.decidesMs ?? 0) <= this.settings.merchantNowMs())
      entry.state = this.settings.mood() === 'pays' ? 'paid' : 'declined';
    return entry;
  }

  private enter(key: string, amountMinor: number, isOffSession: boolean, atMs: number): void {
    const { nowMs, mood, isDebit, notify, random } = this.settings;
    const known = this.find(key);
    if (known && nowMs() - known.createdMs < keyLifeMs) return;
    const entry: LedgerEntry = { key, amountMinor, state: 'paid', decline: 'soft', createdMs: nowMs() };
    this.ledger.push(entry);
    const now = mood();
    if (isDebit()) {
      Object.assign(entry, { state: 'processing', decidesMs: atMs + debitMs });
      if (random.chance(0.7)) notify(debitMs + random.whole(0, hourMs));
    } else if (now === 'soft' || now === 'hard' || now === 'later') {
      Object.assign(entry, { state: 'declined', decline: now });
    } else if (now !== 'pays' || (!isOffSession && random.chance(0.1))) {
      entry.state = 'requires_action';
      if (now !== 'ignores') this.answerLater(entry);
    }
  }

  private answerLater(entry: LedgerEntry): void {
    const { random, notify } = this.settings;
    const afterMs = random.whole(5_000, random.chance(0.2) ? 3 * dayMs : hourMs);
    const isApproved = random.chance(0.7);
    this.answers.push({ entry, atMs: this.settings.nowMs() + afterMs, isApproved });
    // Some notifications are lost: the service asks when it has a reason to.
    if (random.chance(0.9)) notify(afterMs + 1);
  }

  private readonly answers: { entry: LedgerEntry; atMs: number; isApproved: boolean }[] = [];

  private resultOf(entry: LedgerEntry | undefined): ProviderResult {
    for (const answer of this.answers)
      if (answer.entry.state === 'requires_action' && answer.atMs <= this.settings.nowMs())
        answer.entry.state = answer.isApproved ? 'paid' : 'declined';
    if (!entry) return { outcome: 'not_sent' };
    return entry.state === 'declined' ? { outcome: 'declined', decline: entry.decline } : { outcome: entry.state };
  }

  private isSilent(): boolean {
    const fault = this.faultNow();
    return fault !== undefined && fault.kind !== 'misconfigured';
  }

  private faultNow(): Fault | undefined {
    const nowMs = this.settings.nowMs();
    return this.settings.faults.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
  }
}
