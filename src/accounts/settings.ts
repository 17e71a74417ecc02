import { type z } from 'zod';
import { type Transaction } from '../adapters/postgres/connection';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { defaultPlan, type DunningPlan } from '../billing/dunning';
import { MerchantSettings } from './settings.model';
import { type SettingsBody, type SettingsResponse } from './settings.schemas';

export interface Settings extends DunningPlan {
  /** The most sessions that a consumer may have at once; null for no limit. */
  sessionLimit: number | null;
  /** A session ends when it was not used for this time; null for no such limit. */
  sessionIdleMinutes: number | null;
  /** A payment is refunded when the card network reports it as probably fraudulent. */
  refundFraudWarnings: boolean;
}

export async function getSettings(merchantId: number, inTransaction?: Transaction): Promise<Settings> {
  const row = await MerchantSettings.findByPk(merchantId, inTransaction && { transaction: inTransaction });
  return {
    sessionLimit: row?.sessionLimit ?? null,
    sessionIdleMinutes: row?.sessionIdleMinutes ?? null,
    graceDays: row?.graceDays ?? defaultPlan.graceDays,
    retryDays: row?.retryDays ?? defaultPlan.retryDays,
    refundFraudWarnings: row?.refundFraudWarnings ?? false,
  };
}

export async function getOwnSettings(caller: Caller): Promise<z.output<typeof SettingsResponse>> {
  const { sessionLimit, sessionIdleMinutes, graceDays, retryDays, refundFraudWarnings } = await getSettings(
    caller.merchantId,
  );
  const sessions = { session_limit: sessionLimit, session_idle_minutes: sessionIdleMinutes };
  const dunning = { grace_days: graceDays, retry_days: [...retryDays] };
  return { ...sessions, ...dunning, refund_fraud_warnings: refundFraudWarnings };
}

/** A lower session limit applies to each consumer's next sign-in. New days apply to payments that fail from now on. */
export async function updateSettings(
  caller: Caller,
  input: z.output<typeof SettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  if (Object.values(input).every((value) => value === undefined))
    throw new AppError('missing_parameter', { errors: { session_limit: 'The session_limit must not be empty.' } });
  await transaction(async (inTransaction) => {
    const row = {
      merchantId,
      ...(input.session_limit !== undefined && { sessionLimit: input.session_limit || null }),
      ...(input.session_idle_minutes !== undefined && { sessionIdleMinutes: input.session_idle_minutes || null }),
      ...(input.grace_days !== undefined && { graceDays: input.grace_days }),
      ...(input.retry_days !== undefined && { retryDays: input.retry_days }),
      ...(input.refund_fraud_warnings !== undefined && { refundFraudWarnings: input.refund_fraud_warnings }),
      updatedAt: new Date(),
    };
    await MerchantSettings.upsert(row, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'settings.update', object: ['merchant', merchantId], requestId });
  });
  return getOwnSettings(caller);
}
