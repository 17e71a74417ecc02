import { type z } from 'zod';
import { liveChatProvider } from '../adapters/liveChat';
import { transaction } from '../adapters/postgres/connection';
import { execute } from '../adapters/postgres/statement';
import { getItemRow } from '../items/items';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { getAccountRow } from '../accounts/accounts';
import { ExternalAccount } from './externalAccounts.model';
import { presentExternalAccount } from './externalAccounts.presenter';
import { type CreateExternalAccountBody, type integrations } from './externalAccounts.schemas';

type Integration = (typeof integrations)[number];

/**
 * An account has one account at the partner, also after repeated requests. A chosen name stays until another one is
 * sent. An account that is being erased gets none: the row lock makes the two requests wait for each other.
 */
export async function createExternalAccount(
  caller: Caller,
  integration: Integration,
  input: z.output<typeof CreateExternalAccountBody>,
) {
  const { merchantId, accountId } = caller;
  const item = await getItemRow(merchantId, input.item_id);
  await transaction((inTransaction) =>
    execute(
      inTransaction,
      `INSERT INTO external_accounts AS e (merchant_id, account_id, item_id, integration, nickname)
       SELECT $1::int, a.id, $3::int, $4, coalesce($5, $6) FROM accounts a WHERE a.id = $2 AND a.erasing_at IS NULL
       FOR SHARE
       ON CONFLICT (account_id, integration) DO UPDATE SET
         item_id = excluded.item_id, nickname = coalesce($5, e.nickname), updated_at = now()`,
      [merchantId, accountId, item.id, integration, input.nickname ?? null, `viewer-${accountId}`],
    ),
  );
  return admit(caller, integration, 'External account successfully created');
}

export async function renameExternalAccount(caller: Caller, integration: Integration, nickname: string) {
  const { merchantId, accountId } = caller;
  await ExternalAccount.update({ nickname, updatedAt: new Date() }, { where: { merchantId, accountId, integration } });
  return admit(caller, integration, 'External account successfully updated');
}

/** Deletes the account at the partner first, then here. A step that fails in between is repeated. */
export async function leaveChats(accountId: number): Promise<void> {
  for (const row of await ExternalAccount.findAll({ where: { accountId }, order: ['id'] })) {
    await forgetMember(row);
    await row.destroy();
  }
}

async function forgetMember({ id, accountId }: ExternalAccount): Promise<void> {
  const { uuid: accountUuid, merchantUuid } = await getAccountRow(accountId);
  await liveChatProvider.forget({ externalAccountId: id, accountUuid, merchantUuid });
}

/** Adds the member at the partner after the commit. A repeated call does no harm. */
async function admit(caller: Caller, integration: Integration, text: string) {
  const { merchantId, accountId } = caller;
  const row = await ExternalAccount.findOne({ where: { merchantId, accountId, integration } });
  if (!row) throw new AppError('account_not_found');
  const admission = await liveChatProvider.admit({
    externalAccountId: row.id,
    accountUuid: caller.accountUuid,
    merchantUuid: caller.merchantUuid,
    itemId: row.itemId,
    nickname: row.nickname,
  });
  await refuseErasing(row);
  return presentExternalAccount(row, text, admission);
}

/** The erasure may have deleted the member before it was added, so the member is deleted again. */
async function refuseErasing(row: ExternalAccount): Promise<void> {
  const { erasingAt } = await getAccountRow(row.accountId);
  if (erasingAt === null) return;
  await forgetMember(row);
  throw new AppError('account_not_found');
}
