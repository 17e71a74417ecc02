import { type z } from 'zod';
import { liveChatProvider } from '../../adapters/liveChat';
import { transaction } from '../../adapters/postgres/connection';
import { execute } from '../../adapters/postgres/statement';
import { getItemRow } from '../../items/service';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { Account } from '../model';
import { ExternalAccount } from './model';
import { presentExternalAccount } from './presenter';
import { type CreateExternalAccountBody, type integrations } from './schemas';

type Integration = (typeof integrations)[number];

/**
 * One account at the partner, however often a client asks; a name that was chosen stays until another is sent. None once
 * the account is to be erased: the row lock makes the two wait for each other.
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

/** Lets the partner forget the account, then forgets it here: whoever dies in between tells it again. */
export async function leaveChats(accountId: number): Promise<void> {
  for (const row of await ExternalAccount.findAll({ where: { accountId }, order: ['id'] })) {
    await forgetMember(row);
    await row.destroy();
  }
}

async function forgetMember({ id, accountId }: ExternalAccount): Promise<void> {
  const { uuid: accountUuid, merchantUuid } = await Account.findByPk(accountId, { rejectOnEmpty: true });
  await liveChatProvider.forget({ externalAccountId: id, accountUuid, merchantUuid });
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
  await refuseErasing(row);
  return presentExternalAccount(row, text, admission);
}

/** The erasure may have told the partner just before it was told of the member: then it is told once more. */
async function refuseErasing(row: ExternalAccount): Promise<void> {
  const account = await Account.findByPk(row.accountId);
  if (account?.erasingAt === null) return;
  await forgetMember(row);
  throw new AppError('account_not_found');
}
