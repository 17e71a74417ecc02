import { enqueue, sendNow } from '../adapters/outbox';
import { transaction } from '../adapters/postgres/connection';
import { mailboxIsOpen } from '../adapters/mailer';
import { listRegisteredUsers } from '../accounts/registeredUsers';
import { audit } from '../audit/audit';
import { listItems } from '../items/items';
import { type Caller, type Scope } from '../kit/auth';
import { AppError } from '../kit/errors';
import { isTestEnvironment } from '../platform';
import { getCardEntry } from '../subscriptions/paymentForm';
import { demoDataWorkflowId, demoSteps } from '../../workflows/messages';
import { beginFill, findFill, type KeptRow, listKept } from './demoData.model';

export { beginRemoval, type DemoFill, endRemoval, type KeptRow, lockRemoval } from './demoData.model';

/**
 * Demo data: a catalogue, customers and a year of payments of invented people, made by the same rules as real ones. It
 * exists in the test environment only, once at a time for each merchant. `src/privacy` removes it.
 */

/** The rights that a person needs to create the same rows. */
const needed: readonly Scope[] = [
  'items:write',
  'accounts:write',
  'vouchers:write',
  'payments:write',
  'settings:write',
];

/**
 * `used`: there are items or customers. `unsuitable`: the payments or the mails of the installation are real ones. `kept`: what
 * the last removal has left; undefined if there was none. `removing`: a removal has begun and is not complete.
 */
export type DemoState =
  | { state: 'possible' | 'used' | 'unsuitable'; kept?: KeptRow[] }
  | { state: 'running'; stepsDone: number; steps: number }
  | { state: 'done' }
  | { state: 'removing' };

export const mayFill = ({ scopes, actorUuid }: Caller): boolean =>
  isTestEnvironment && actorUuid === undefined && needed.every((scope) => scopes.includes(scope));

export async function getDemoState(caller: Caller): Promise<DemoState> {
  refuseOthers(caller);
  const fill = await findFill(caller.merchantId);
  if (fill?.state === 'running') return { state: 'running', stepsDone: fill.stepsDone, steps: demoSteps };
  if (fill && fill.state !== 'removed') return { state: fill.state };
  const left = fill && { kept: await listKept(caller.merchantId) };
  if (!(await isSuitable(caller))) return { state: 'unsuitable', ...left };
  return { state: (await isUsed(caller)) ? 'used' : 'possible', ...left };
}

/** Begins the filling of an empty account. A repeated request changes nothing. */
export async function fillWithDemoData(caller: Caller, requestId: string): Promise<DemoState> {
  const known = await getDemoState(caller);
  if (known.state !== 'possible') return known;
  const { merchantId } = caller;
  const queued = await transaction(async (inTransaction) => {
    const fill = await beginFill(inTransaction, caller);
    if (!fill) return undefined;
    const workflowId = demoDataWorkflowId(fill.token);
    const queued = await enqueue(inTransaction, {
      messageId: workflowId,
      workflow: 'demoData',
      workflowId,
      input: { fillId: fill.id },
      labels: { merchantId, state: 'running', requestId, summary: 'demo data' },
    });
    await audit(inTransaction, caller, { action: 'demo_data.create', object: ['demo_data', fill.id], requestId });
    return queued;
  });
  if (queued) await sendNow(queued);
  return getDemoState(caller);
}

function refuseOthers(caller: Caller): void {
  if (!isTestEnvironment) throw new AppError('not_found');
  if (!mayFill(caller)) throw new AppError('forbidden');
}

/** Whether test cards can pay, and every mail stays in the test mailbox. */
async function isSuitable({ merchantId }: Caller): Promise<boolean> {
  const { isPossible, form } = await getCardEntry(merchantId);
  return mailboxIsOpen && isPossible && form === undefined;
}

async function isUsed(caller: Caller): Promise<boolean> {
  const items = await listItems(caller, { limit: 1, active: 'all' });
  const customers = await listRegisteredUsers(caller, { limit: 1 });
  return items.total + customers.total > 0;
}
