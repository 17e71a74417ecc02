import { type z } from 'zod';
import { approve, resume, suspend } from '../accounts/merchants/states';
import { endSessions } from '../accounts/tokens/tokens';
import { transaction, type Transaction } from '../adapters/postgres/connection';
import { baseUrl } from '../adapters/settings';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { pageRange } from '../kit/page';
import { readBudgets } from '../mail/budgets';
import { queueMail } from '../mail/mail';
import { countMerchants, findMerchants, type MerchantRow } from './merchants.model';
import { presentMerchant } from './merchants.presenter';
import { type MerchantQuery } from './operator.schemas';

/**
 * What an operator decides about the merchants of the installation. Each decision is in two audit logs: its own and the
 * merchant's.
 */

export async function listMerchants(query: z.output<typeof MerchantQuery>) {
  const { page, limit, offset } = pageRange(query);
  const rows = await findMerchants(query, { limit, offset });
  return { total: await countMerchants(query), page, offset, limit, collection: await presentAll(rows) };
}

export async function getMerchantView(id: number) {
  const [merchant] = await presentAll(await findMerchants({ id }, { limit: 1, offset: 0 }));
  if (!merchant) throw new AppError('merchant_not_found');
  return merchant;
}

async function presentAll(rows: readonly MerchantRow[]) {
  const budgets = await readBudgets(rows.map(({ id }) => id));
  return rows.flatMap((row) => {
    const budget = budgets.get(row.id);
    return budget ? [presentMerchant(row, budget)] : [];
  });
}

export async function approveMerchant(caller: Caller, id: number, request: RequestFacts) {
  const { email } = await getMerchantView(id);
  await transaction(async (inTransaction) => {
    if (!(await approve(inTransaction, id))) throw new AppError('merchant_state');
    await tell(inTransaction, { id, email }, 'merchant_approved');
    await recordAction(inTransaction, caller, id, { action: 'merchant.approve', request });
  });
  return getMerchantView(id);
}

/** The sessions of the merchant and its followers end. Those of customers rest, and work again after the suspension. */
export async function suspendMerchant(caller: Caller, id: number, reason: string, request: RequestFacts) {
  const { email } = await getMerchantView(id);
  await transaction(async (inTransaction) => {
    const suspended = await suspend(inTransaction, id, reason);
    if (!suspended.includes(id)) throw new AppError('merchant_state');
    await tell(inTransaction, { id, email }, 'merchant_suspended', reason);
    await recordAction(inTransaction, caller, id, { action: 'merchant.suspend', request });
    for (const accountId of suspended.sort((a, b) => a - b)) await endSessions(inTransaction, { accountId });
  });
  return getMerchantView(id);
}

export async function resumeMerchant(caller: Caller, id: number, request: RequestFacts) {
  const { email } = await getMerchantView(id);
  await transaction(async (inTransaction) => {
    if (!(await resume(inTransaction, id))) throw new AppError('merchant_state');
    await tell(inTransaction, { id, email }, 'merchant_resumed');
    await recordAction(inTransaction, caller, id, { action: 'merchant.resume', request });
  });
  return getMerchantView(id);
}

type Notice = 'merchant_approved' | 'merchant_suspended' | 'merchant_resumed';

/** Mails to the merchant itself are sent in every state. */
async function tell(
  inTransaction: Transaction,
  { id: merchantId, email: to }: { id: number; email: string },
  template: Notice,
  reason = '',
): Promise<void> {
  const values = { reason, url: `${baseUrl}/console` };
  await queueMail(inTransaction, { merchantId, accountId: merchantId, to, template, values });
}

/** Writes both audit logs, the lower tenant first, so that two transactions cannot deadlock. */
async function recordAction(
  inTransaction: Transaction,
  caller: Caller,
  merchantId: number,
  { action, request: { requestId } }: { action: `merchant.${string}`; request: RequestFacts },
): Promise<void> {
  const theirs = { ...caller, merchantId, accountId: merchantId, actorUuid: caller.accountUuid };
  for (const actor of [caller, theirs].sort((a, b) => a.merchantId - b.merchantId))
    await audit(inTransaction, actor, { action, object: ['merchant', merchantId], requestId });
}
