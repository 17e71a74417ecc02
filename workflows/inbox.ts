import { ApplicationFailure } from '@temporalio/common';
import { condition, defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { type MerchantClock } from './merchantClock';
import {
  accountErasedSignal,
  changeRequestedSignal,
  changeUpdates,
  clockMovedSignal,
  debitReturnedSignal,
  isKnownQuery,
  refusedChange,
  restoredSignal,
  revokedSignal,
  type AnsweredRequest,
  type Change,
  type ChangeAnswer,
  type ChangeKind,
  type ChangeRequest,
  type ClockMoved,
  type DebitReturn,
  type PendingMessage,
  type RevocationNotice,
} from './messages';

/** A message that waits to be processed. Requests get an answer, notices do not. */
export type Message = PendingMessage & {
  answer?: ChangeAnswer;
  /** The message came as a signal, so its sender will not send it again. */
  isPromised?: true;
  /** The row stores the request. */
  isStored?: true;
  /** The sender of an update waits for the answer. */
  isAwaited?: true;
  /** The row does not allow the update, which came before the row was read. */
  refusal?: Refusal;
};

/** The reason why a change is not possible at the version of the row that the run knows. */
interface Refusal {
  explain: string;
  version: number;
}

/** The number of stored answers for repeated requests. */
const answersKept = 50;

const descriptions: Record<ChangeKind, string> = {
  cancel: 'Cancels at the end of the period, or now.',
  resume: 'Takes back a cancellation or a planned pause, or ends a pause with a charge.',
  pause: 'Pauses at the end of the period.',
  extend: 'Makes the period longer by some days, without a charge.',
  retry: 'Charges the open amount now.',
  switch: 'Changes to another access fee of the item.',
  useCard: 'Charges another card from now on, and an open amount at once.',
  takeOffer: 'Accepts the merchant’s offer in place of a cancellation.',
  giveUp: 'Gives up a first payment that waits for its payer’s authentication.',
};

/**
 * Receives requests and signals. The run's loop processes them one at a time, so that no two of them move money
 * concurrently. A request that is sent twice, as an update or as a signal, is processed once.
 */
export class Inbox {
  readonly waiting: Message[];
  /** The ids of stored requests that are decided, and still in the row. */
  private decided: string[] = [];

  constructor(
    private readonly clock: MerchantClock,
    readonly refusal: (change: Change) => Refusal | undefined,
    readonly answered: AnsweredRequest[],
    waiting: PendingMessage[] = [],
  ) {
    this.waiting = waiting.map((message) => ({ ...message, isPromised: true }));
    // Signals come first. An update that arrived before the start of the run may be younger than a signal.
    this.takeSignals();
    for (const kind of Object.keys(changeUpdates) as ChangeKind[]) this.takeUpdates(kind);
    this.takeQueries();
  }

  isCalled = (): boolean => this.waiting.length > 0 || this.decided.length > 0;

  /** Whether another message waits behind the one in progress. */
  hasNext = (): boolean => this.waiting.length > 1;

  /** Whether a pending authentication must be given up, because the payer starts again or the account is erased. */
  isGivenUp = (): boolean =>
    this.waiting.some(
      (message) => message.kind === 'erased' || (message.kind === 'request' && message.request.kind === 'giveUp'),
    );

  /** Whether a message forbids unsent charges. */
  isCanceled = (): boolean =>
    this.waiting.some(
      (message) =>
        message.kind === 'erased' ||
        message.kind === 'revoked' ||
        (message.kind === 'request' && message.request.kind === 'cancel'),
    );

  answer(message: Message, answer: ChangeAnswer): void {
    message.answer = answer;
    this.waiting.splice(this.waiting.indexOf(message), 1);
    const id = idOf(message);
    if (id === undefined) return;
    this.answered.push({ id, answer });
    this.answered.splice(0, this.answered.length - answersKept);
    if (message.isPromised && message.kind === 'request') this.decided.push(id);
  }

  /** The decided requests since the last call. The caller deletes them from the row. */
  takeDecided(): string[] {
    const taken = this.decided;
    this.decided = [];
    return taken;
  }

  /**
   * Refuses the updates that came before the row was read, if the row does not allow them: the validator could not know. A
   * request that came as a signal or is stored has been promised, and waits.
   */
  refuseUnread(): void {
    for (const message of [...this.waiting]) {
      const refusal = message.kind === 'request' && !message.isPromised && this.refusal(message.request);
      if (!refusal) continue;
      message.refusal = refusal;
      this.waiting.splice(this.waiting.indexOf(message), 1);
    }
  }

  /** Requests that came only as signals. The row may not store them any more. */
  unchecked = (): Message[] =>
    this.waiting.filter(
      ({ kind, isPromised, isStored, isAwaited }) => kind === 'request' && isPromised && !isStored && !isAwaited,
    );

  /** Removes those of the messages that are still unchecked. */
  drop(messages: readonly Message[]): void {
    const dropped = this.unchecked().filter((message) => messages.includes(message));
    for (const message of dropped) this.waiting.splice(this.waiting.indexOf(message), 1);
  }

  /** Gives every waiting request the same answer. Returns the messages that came as signals, for the next run. */
  drain(answer: ChangeAnswer): PendingMessage[] {
    const promised = this.waiting.filter(({ isPromised }) => isPromised);
    for (const message of this.waiting) message.answer = answer;
    this.waiting.length = 0;
    return promised.map(
      ({ answer: _answer, isPromised: _isPromised, isStored: _isStored, isAwaited: _isAwaited, ...message }) => message,
    );
  }

  /**
   * Puts the stored requests of the row before all other requests, in their order: an earlier run may have lost them, and a
   * later request may have started this run. A notice of an earlier time stays before them.
   */
  putStored(stored: readonly ChangeRequest[]): void {
    for (const request of stored) this.putPromised(request).isStored = true;
    const others = [...this.waiting];
    const merged: Message[] = [];
    for (const { id } of stored) {
      const message = others.find((waiting) => idOf(waiting) === id);
      // The run has decided on this request already.
      if (!message) continue;
      merged.push(...takeNoticesBefore(others, message.atMs), message);
      others.splice(others.indexOf(message), 1);
    }
    this.waiting.splice(0, this.waiting.length, ...merged, ...others);
  }

  private takeUpdates(kind: ChangeKind): void {
    const update = defineUpdate<ChangeAnswer, [ChangeRequest]>(changeUpdates[kind]);
    setHandler(update, (request) => this.takeRequest(request), {
      description: descriptions[kind],
      validator: (request: ChangeRequest) => {
        const refusal = this.isKnown(request.id) ? undefined : this.refusal(request);
        if (refusal) throw failureOf(refusal);
      },
    });
  }

  private takeSignals(): void {
    setHandler(defineSignal<[ChangeRequest]>(changeRequestedSignal), (request) => void this.putPromised(request), {
      description: 'A request that was accepted while the Temporal server was not available.',
    });
    setHandler(defineSignal<[ClockMoved]>(clockMovedSignal), ({ aheadMs }) => this.clock.move(aheadMs), {
      description: 'The merchant’s test clock has moved.',
    });
    setHandler(
      defineSignal<[Partial<RevocationNotice>?]>(revokedSignal),
      (notice) =>
        this.takeNotice({
          kind: 'revoked',
          ...named(notice),
          atMs: this.timeOf(notice),
          reason: notice?.reason ?? 'refund',
        }),
      { description: 'The payment was refunded or disputed: access ends at once.' },
    );
    setHandler(
      defineSignal<[Partial<RevocationNotice>?]>(restoredSignal),
      (notice) => this.takeNotice({ kind: 'restored', ...named(notice), atMs: this.timeOf(notice) }),
      { description: 'The dispute was won: access is restored.' },
    );
    setHandler(
      defineSignal<[DebitReturn]>(debitReturnedSignal),
      ({ id, atMs, cycle }) => this.takeNotice({ kind: 'returned', id, atMs, cycle }),
      { description: 'The payer’s bank has taken a paid direct debit back.' },
    );
    setHandler(
      defineSignal(accountErasedSignal),
      () => void this.waiting.push({ kind: 'erased', atMs: this.clock.now(), isPromised: true }),
      { description: 'The account is being erased: nothing more is charged.' },
    );
  }

  /** Ignores a notice that was received before, because a delayed sender may repeat it. */
  private takeNotice(message: Message): void {
    const id = idOf(message);
    if (id === undefined || !this.isKnown(id)) this.waiting.push({ ...message, isPromised: true });
  }

  private timeOf(notice: { atMs?: number } | undefined): number {
    return notice?.atMs ?? this.clock.now();
  }

  private async takeRequest(request: ChangeRequest): Promise<ChangeAnswer> {
    const known = this.answered.find(({ id }) => id === request.id);
    if (known) return known.answer;
    const message = this.put(request);
    message.isAwaited = true;
    await condition(() => message.answer !== undefined || message.refusal !== undefined);
    if (message.refusal) throw failureOf(message.refusal);
    return message.answer ?? { done: false, why: 'state', explain: '' };
  }

  /** A repeated request is the same message, of the time of its first request. */
  private put(request: ChangeRequest): Message {
    const sent = this.waiting.find((message) => message.kind === 'request' && message.request.id === request.id);
    if (sent) {
      sent.atMs = Math.min(sent.atMs, request.atMs);
      return sent;
    }
    this.clock.move(request.aheadMs);
    const message: Message = { kind: 'request', atMs: request.atMs, request };
    if (!this.answered.some(({ id }) => id === request.id)) this.waiting.push(message);
    return message;
  }

  /** The row keeps the request until it is decided. */
  private putPromised(request: ChangeRequest): Message {
    const message = this.put(request);
    message.isPromised = true;
    if (this.answered.some(({ id }) => id === request.id)) this.decided.push(request.id);
    return message;
  }

  private takeQueries(): void {
    setHandler(defineQuery<boolean, [string]>(isKnownQuery), (id) => this.isKnown(id), {
      description: 'Whether a request with this id was received before.',
    });
  }

  private isKnown(id: string): boolean {
    return this.answered.some((known) => known.id === id) || this.waiting.some((message) => idOf(message) === id);
  }
}

const failureOf = ({ explain, version }: Refusal) => ApplicationFailure.nonRetryable(explain, refusedChange, version);

/** Takes the notices from the start of the messages that are earlier than a time. */
function takeNoticesBefore(messages: Message[], atMs: number): Message[] {
  const end = messages.findIndex((message) => message.kind === 'request' || message.atMs >= atMs);
  return messages.splice(0, end < 0 ? messages.length : end);
}

/** The unique id of a message, if it has one. */
export function idOf(message: Message): string | undefined {
  if (message.kind === 'request') return message.request.id;
  return message.kind === 'erased' ? undefined : message.id;
}

const named = (notice: Partial<RevocationNotice> | undefined) => (notice?.id === undefined ? {} : { id: notice.id });
