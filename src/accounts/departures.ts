import { type OutboxRow } from '../adapters/outbox';
import { type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { listFormerAddresses } from './emailChanges/emailChanges.model';

/** A follower or a member of the staff leaves a merchant. */

interface Person {
  id: number;
  /** The present and the former addresses, normalized. A report may still go to a former one. */
  addresses: readonly string[];
}

/** Runs in the transaction that removes the person. The returned messages are sent after the commit. */
type DepartureListener = (
  inTransaction: Transaction,
  caller: Caller,
  person: Person,
  request: RequestFacts,
) => Promise<OutboxRow[]>;

const listeners = new Set<DepartureListener>();

/** Registers work that a higher room does when a person leaves. Each listener is registered once. */
export function onDeparture(listener: DepartureListener): void {
  listeners.add(listener);
}

/** Calls the listeners. They lock their rows and write to the audit log, so this comes before the rule's own entry. */
export async function reportDeparture(
  inTransaction: Transaction,
  caller: Caller,
  { id, emailNormalized }: { id: number; emailNormalized: string },
  request: RequestFacts,
): Promise<OutboxRow[]> {
  const former = await listFormerAddresses(inTransaction, { accountId: id, merchantId: caller.merchantId });
  const person = { id, addresses: [emailNormalized, ...former] };
  const messages: OutboxRow[] = [];
  for (const listener of listeners) messages.push(...(await listener(inTransaction, caller, person, request)));
  return messages;
}
