import { entriesOf, type Answered, type Recorded, type Sent, type Unheard } from './history';

/** All requests of one operation, with what its client knows about it. */
export interface Attempts {
  operation: number;
  actor: string;
  what: Sent['what'];
  key: string | undefined;
  path: string;
  fields: Record<string, unknown>;
  sent: Recorded<Sent>[];
  unheard: Recorded<Unheard>[];
  /** Answers that tell the outcome. */
  answers: Recorded<Answered>[];
  /** The first answer that accepts the request. */
  accepted: Recorded<Answered> | undefined;
  /** The client has sent the request, and does not know whether it had an effect. */
  isUnknown: boolean;
  lines: number[];
}

/** The request had no effect, and is to be sent again. 408: it did not arrive in full, for example at a frozen API. */
export const isPassing = ({ status, body }: Pick<Answered, 'status' | 'body'>) =>
  status >= 500 || [408, 429].includes(status) || body.error === 'request_in_progress';

/** The operations in the order of their first requests. */
export function operationsOf(history: readonly Recorded[]): Attempts[] {
  const all = new Map<number, Attempts>();
  for (const first of entriesOf(history, 'sent')) {
    const known = all.get(first.operation);
    known?.sent.push(first);
    known?.lines.push(first.line);
    if (known) continue;
    const { operation, actor, what, path, fields } = first;
    const none = { unheard: [], answers: [], accepted: undefined, isUnknown: true };
    all.set(operation, {
      operation,
      actor,
      what,
      key: first.key,
      path,
      fields,
      sent: [first],
      ...none,
      lines: [first.line],
    });
  }
  for (const entry of history) {
    if (entry.kind !== 'answered' && entry.kind !== 'unheard') continue;
    const one = all.get(entry.operation);
    if (!one) continue;
    one.lines.push(entry.line);
    if (entry.kind === 'unheard') one.unheard.push(entry);
    else if (!isPassing(entry)) {
      one.answers.push(entry);
      one.isUnknown = false;
      if (entry.status < 300) one.accepted ??= entry;
    }
  }
  return [...all.values()];
}

/** The consumer of each account, as the answers to registrations tell. */
export function actorsByAccount(operations: readonly Attempts[]): Map<string, string> {
  const registered = operations.filter(({ what }) => what === 'register');
  return new Map(registered.map(({ actor, accepted }) => [String(accepted?.body.uuid), actor]));
}

/** The name of what an operation made: a subscription or a payment. */
export function nameIn({ body }: Answered): string | undefined {
  return body.subscription_id ?? body.transaction;
}

/** The lines about the subscription or the payment whose token the text begins with. */
export function linesAbout(history: readonly Recorded[], text: string): number[] {
  const subject = /^[^: ]+/.exec(text)?.[0] ?? '';
  const about = operationsOf(history).filter(
    ({ answers, fields }) =>
      answers.some((answer) => nameIn(answer) === subject) || Object.values(fields).includes(subject),
  );
  const heard = history.filter((entry) => entry.kind === 'heard' && entry.subject === subject);
  return [...about.flatMap(({ lines }) => lines), ...heard.map(({ line }) => line)].sort((a, b) => a - b);
}
