import { type OutboxRow } from '../adapters/outbox';
import { type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';

/** A follower or a member of the staff leaves a merchant. */

/** Runs in the transaction that removes the person. The returned messages are sent after the commit. */
type DepartureListener = (
  inTransaction: Transaction,
  caller: Caller,
  person: { id: number; email: string },
  request: RequestFacts,
) => Promise<OutboxRow[]>;

const listeners = new Set<DepartureListener>();

/** Registers work that a higher room does when a person leaves. Each listener is registered once. */
export function onDeparture(listener: DepartureListener): void {
  listeners.add(listener);
}

/** Calls the listeners. They lock their rows and write to the audit log, so this comes before the rule's own entry. */
export async function reportDeparture(...departure: Parameters<DepartureListener>): Promise<OutboxRow[]> {
  const messages: OutboxRow[] = [];
  for (const listener of listeners) messages.push(...(await listener(...departure)));
  return messages;
}
