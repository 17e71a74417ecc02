import { type z } from 'zod';
import { liveChatProvider } from '../../adapters/liveChat';
import { transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { ExternalAccount } from './model';
import { presentExternalAccount } from './presenter';
import { type CreateExternalAccountBody, type integrations } from './schemas';

type Integration = (typeof integrations)[number];

/** One account at the partner, however often a client asks; a name that was chosen stays until another is sent. */
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
       VALUES ($1, $2, $3, $4, coalesce($5, $6))
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

/** After the row is written: the partner is told outside of the transaction, and telling it again does no harm. */
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
  return presentExternalAccount(row, text, admission);
}
