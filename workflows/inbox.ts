import { ApplicationFailure } from '@temporalio/common';
import { condition, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { type MerchantClock } from './merchantClock';
import {
  accountErasedSignal,
  changeRequestedSignal,
  changeUpdates,
  clockMovedSignal,
  refusedChange,
  restoredSignal,
  revokedSignal,
  type AccountErased,
  type Answered,
  type Change,
  type ChangeAnswer,
  type ChangeKind,
  type ChangeRequest,
  type ClockMoved,
  type Revoked,
} from './messages';

/** What came from outside and waits for its turn. Requests hear an answer; what others tell does not. */
export type Message = { atMs: number; answer?: ChangeAnswer } & (
  | { kind: 'request'; request: ChangeRequest }
  | { kind: 'revoked'; id?: string; reason: string }
  | { kind: 'restored'; id?: string }
  | { kind: 'erased' }
);

/** As many answers are kept for requests that come again. */
const answersKept = 50;

const descriptions: Record<ChangeKind, string> = {
  cancel: 'At the period’s end, or now.',
  resume: 'Takes back a cancellation or a planned pause, or ends a pause with a charge.',
  pause: 'From the period’s end on.',
  retry: 'Charges what is open, now.',
  switch: 'To another fee of the item.',
  useCard: 'Charges another card from now on, and at once what is open.',
  giveUp: 'Gives up a first payment that waits for its payer.',
};

/**
 * Where requests and signals arrive. They take their turn in the life's one loop, so that no two of them move money at
 * once; a request that comes twice, as an update or as a signal, happens once.
 */
export class Inbox {
  readonly waiting: Message[] = [];

  constructor(
    private readonly clock: MerchantClock,
    private readonly refusal: (change: Change) => string | undefined,
    readonly answered: Answered[],
  ) {
    for (const kind of Object.keys(changeUpdates) as ChangeKind[]) this.takeUpdates(kind);
    this.takeSignals();
  }

  isCalled = (): boolean => this.waiting.length > 0;

  /** The payer starts anew or is gone: nobody waits for an authentication any longer. */
  isGivenUp = (): boolean =>
    this.waiting.some(
      (message) => message.kind === 'erased' || (message.kind === 'request' && message.request.kind === 'giveUp'),
    );

  answer(message: Message, answer: ChangeAnswer): void {
    message.answer = answer;
    this.waiting.splice(this.waiting.indexOf(message), 1);
    const id = idOf(message);
    if (id === undefined) return;
    this.answered.push({ id, answer });
    this.answered.splice(0, this.answered.length - answersKept);
  }

  private takeUpdates(kind: ChangeKind): void {
    const update = defineUpdate<ChangeAnswer, [ChangeRequest]>(changeUpdates[kind]);
    setHandler(update, (request) => this.ask(request), {
      description: descriptions[kind],
      validator: (request: ChangeRequest) => {
        const refusal = this.isKnown(request.id) ? undefined : this.refusal(request);
        if (refusal !== undefined) throw ApplicationFailure.nonRetryable(refusal, refusedChange);
      },
    });
  }

  private takeSignals(): void {
    setHandler(defineSignal<[ChangeRequest]>(changeRequestedSignal), (request) => void this.put(request), {
      description: 'A request that was accepted while this server was away.',
    });
    setHandler(defineSignal<[ClockMoved]>(clockMovedSignal), ({ aheadMs }) => this.clock.move(aheadMs), {
      description: 'The merchant’s test clock has moved.',
    });
    setHandler(
      defineSignal<[Partial<Revoked>?]>(revokedSignal),
      (told) =>
        this.hear({ kind: 'revoked', ...named(told), atMs: this.timeOf(told), reason: told?.reason ?? 'refund' }),
      { description: 'The money went back: access ends at once.' },
    );
    setHandler(
      defineSignal<[Partial<Revoked>?]>(restoredSignal),
      (told) => this.hear({ kind: 'restored', ...named(told), atMs: this.timeOf(told) }),
      { description: 'The money came again after all.' },
    );
    setHandler(
      defineSignal<[AccountErased?]>(accountErasedSignal),
      (told) => void this.waiting.push({ kind: 'erased', atMs: this.timeOf(told) }),
      { description: 'The account is gone: nothing is charged any more.' },
    );
  }

  /** A sender that was held up may send once more what has been sent for it since. */
  private hear(message: Message): void {
    const id = idOf(message);
    if (id === undefined || !this.isKnown(id)) this.waiting.push(message);
  }

  private timeOf(told: { atMs?: number } | undefined): number {
    return told?.atMs ?? this.clock.now();
  }

  private async ask(request: ChangeRequest): Promise<ChangeAnswer> {
    const known = this.answered.find(({ id }) => id === request.id);
    if (known) return known.answer;
    const message = this.put(request);
    await condition(() => message.answer !== undefined);
    return message.answer ?? { done: false, why: 'state', explain: '' };
  }

  /** The same request twice is one message. */
  private put(request: ChangeRequest): Message {
    const sent = this.waiting.find((message) => message.kind === 'request' && message.request.id === request.id);
    if (sent) return sent;
    this.clock.move(request.aheadMs);
    const message: Message = { kind: 'request', atMs: request.atMs, request };
    if (!this.answered.some(({ id }) => id === request.id)) this.waiting.push(message);
    return message;
  }

  private isKnown(id: string): boolean {
    return this.answered.some((known) => known.id === id) || this.waiting.some((message) => idOf(message) === id);
  }
}

/** What names a message for ever, where something does. */
function idOf(message: Message): string | undefined {
  if (message.kind === 'request') return message.request.id;
  return message.kind === 'erased' ? undefined : message.id;
}

const named = (told: Partial<Revoked> | undefined) => (told?.id === undefined ? {} : { id: told.id });
