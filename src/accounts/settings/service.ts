import { type z } from 'zod';
import { type Transaction } from '../../adapters/postgres/connection';
import { transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { MerchantSettings } from './model';
import { type SettingsBody, type SettingsResponse } from './schemas';

export interface Settings {
  /** How many sessions a consumer may have at once; null: any number. */
  sessionLimit: number | null;
}

export async function getSettings(merchantId: number, inTransaction?: Transaction): Promise<Settings> {
  const row = await MerchantSettings.findByPk(merchantId, inTransaction && { transaction: inTransaction });
  return { sessionLimit: row?.sessionLimit ?? null };
}

export async function getOwnSettings(caller: Caller): Promise<z.output<typeof SettingsResponse>> {
  const { sessionLimit } = await getSettings(caller.merchantId);
  return { session_limit: sessionLimit };
}

/** A lower limit holds from each consumer's next sign-in on. */
export async function updateSettings(
  caller: Caller,
  input: z.output<typeof SettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const sessionLimit = input.session_limit === 0 ? null : input.session_limit;
  await transaction(async (inTransaction) => {
    const row = { merchantId, sessionLimit, updatedAt: new Date() };
    await MerchantSettings.upsert(row, { transaction: inTransaction });
    const deed = { action: 'settings.update', objectType: 'merchant', objectId: merchantId, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...deed });
  });
  return getOwnSettings(caller);
}
