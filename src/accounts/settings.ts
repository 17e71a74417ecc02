import { type z } from 'zod';
import { type Transaction } from '../adapters/postgres/connection';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { defaultPlan, type DunningPlan } from '../billing/dunning';
import { type DebitAccess, type EnabledName } from '../kit/paymentMethods';
import { requireFactor, requireRecentFactor } from './secondFactors/recentFactors';
import { MerchantSettings } from './settings.model';
import { type SettingsBody, type SettingsResponse } from './settings.schemas';
import { forgetTenant } from './tokens/callers';

export interface Settings extends DunningPlan {
  /** The maximum number of concurrent sessions of a consumer; null for no limit. */
  sessionLimit: number | null;
  /** A session ends after this time without use; null for no limit. */
  sessionIdleMinutes: number | null;
  /** A payment is refunded when the card network reports it as probably fraudulent. */
  refundFraudWarnings: boolean;
  /** `best`: a planned retry waits for its best hour. */
  retryTiming: 'fixed' | 'best';
  /** Customers are reminded 30 and 7 days before their card expires. */
  cardExpiryReminders: boolean;
  /** The number of days before a renewal on which customers are reminded; 0 for no reminder. */
  renewalReminderDays: number;
  /** The methods by which customers can pay, if the card provider supports them. */
  paymentMethods: readonly EnabledName[];
  /** The time at which a first direct debit opens access. */
  debitAccess: DebitAccess;
  /** A refund above this amount, in the major unit of its currency, requires a recent confirmation. */
  refundConfirmationAbove: number;
  /** `required`: people who sign in for the merchant need a second factor or a passkey. */
  secondFactorPolicy: 'optional' | 'required';
  /** The console shows the steps to the first sale. */
  setupChecklist: boolean;
}

export async function getSettings(merchantId: number, inTransaction?: Transaction): Promise<Settings> {
  const row = await MerchantSettings.findByPk(merchantId, inTransaction && { transaction: inTransaction });
  return {
    sessionLimit: row?.sessionLimit ?? null,
    sessionIdleMinutes: row?.sessionIdleMinutes ?? null,
    graceDays: row?.graceDays ?? defaultPlan.graceDays,
    retryDays: row?.retryDays ?? defaultPlan.retryDays,
    refundFraudWarnings: row?.refundFraudWarnings ?? false,
    retryTiming: row?.retryTiming ?? 'fixed',
    cardExpiryReminders: row?.cardExpiryReminders ?? true,
    renewalReminderDays: row?.renewalReminderDays ?? 0,
    paymentMethods: row?.paymentMethods ?? ['card'],
    debitAccess: row?.debitAccess ?? 'with_payment',
    refundConfirmationAbove: row?.refundConfirmationAbove ?? 100,
    secondFactorPolicy: row?.secondFactorPolicy ?? 'optional',
    setupChecklist: row?.setupChecklist ?? true,
  };
}

export async function getOwnSettings(caller: Caller): Promise<z.output<typeof SettingsResponse>> {
  const settings = await getSettings(caller.merchantId);
  return {
    session_limit: settings.sessionLimit,
    session_idle_minutes: settings.sessionIdleMinutes,
    grace_days: settings.graceDays,
    retry_days: [...settings.retryDays],
    refund_fraud_warnings: settings.refundFraudWarnings,
    retry_timing: settings.retryTiming,
    card_expiry_reminders: settings.cardExpiryReminders,
    renewal_reminder_days: settings.renewalReminderDays,
    payment_methods: [...settings.paymentMethods],
    debit_access: settings.debitAccess,
    refund_confirmation_above: settings.refundConfirmationAbove,
    second_factor_policy: settings.secondFactorPolicy,
    setup_checklist: settings.setupChecklist,
  };
}

type MethodQuestion = (merchantId: number, name: EnabledName) => Promise<boolean>;
let canMake: MethodQuestion = () => Promise.resolve(true);

/** Registers who knows whether a merchant's card provider makes payments by a method. */
export function onMethodWanted(question: MethodQuestion): void {
  canMake = question;
}

const unmade: Record<Exclude<EnabledName, 'card'>, string> = {
  link: 'payments by Link',
  google_pay: 'payments by Google Pay',
  apple_pay: 'payments by Apple Pay',
  direct_debit: 'direct debits',
  ideal: 'payments by iDEAL',
  bancontact: 'payments by Bancontact',
  paypal: 'payments by PayPal',
};

async function refuseUnmadeMethods(merchantId: number, names: readonly EnabledName[] = []): Promise<void> {
  for (const name of names) {
    if (name === 'card' || (await canMake(merchantId, name))) continue;
    const text = `The payment_methods must not contain ${name}: the payment account cannot make ${unmade[name]}.`;
    throw new AppError('invalid_input', { errors: { payment_methods: text } });
  }
}

/**
 * Requires a recent confirmation of a change of the security settings. Otherwise, a stolen session could switch the
 * confirmations off first. Returns the columns that change: an equal value is not written, because it could replace another
 * one that is saved at the same moment.
 */
async function confirmSecurityChange(caller: Caller, input: z.output<typeof SettingsBody>) {
  const { refund_confirmation_above: limit, second_factor_policy: policy } = input;
  const stored = await getSettings(caller.merchantId);
  const changesLimit = limit !== undefined && limit !== stored.refundConfirmationAbove;
  const changesPolicy = policy !== undefined && policy !== stored.secondFactorPolicy;
  if (changesLimit || changesPolicy) await requireRecentFactor(caller);
  // The next request of a person without a factor would be refused.
  if (changesPolicy && policy === 'required') await requireFactor(caller);
  return {
    ...(changesLimit && { refundConfirmationAbove: limit }),
    ...(changesPolicy && { secondFactorPolicy: policy }),
  };
}

/**
 * A lower session limit applies to each consumer's next sign-in. New retry days apply to payments that fail from now
 * on.
 */
export async function updateSettings(
  caller: Caller,
  input: z.output<typeof SettingsBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  if (Object.values(input).every((value) => value === undefined))
    throw new AppError('missing_parameter', { errors: { session_limit: 'The session_limit must not be empty.' } });
  const security = await confirmSecurityChange(caller, input);
  await refuseUnmadeMethods(merchantId, input.payment_methods);
  await transaction(async (inTransaction) => {
    const row = {
      merchantId,
      ...(input.session_limit !== undefined && { sessionLimit: input.session_limit || null }),
      ...(input.session_idle_minutes !== undefined && { sessionIdleMinutes: input.session_idle_minutes || null }),
      ...(input.grace_days !== undefined && { graceDays: input.grace_days }),
      ...(input.retry_days !== undefined && { retryDays: input.retry_days }),
      ...(input.refund_fraud_warnings !== undefined && { refundFraudWarnings: input.refund_fraud_warnings }),
      ...(input.retry_timing !== undefined && { retryTiming: input.retry_timing }),
      ...(input.card_expiry_reminders !== undefined && { cardExpiryReminders: input.card_expiry_reminders }),
      ...(input.renewal_reminder_days !== undefined && { renewalReminderDays: input.renewal_reminder_days }),
      ...(input.payment_methods !== undefined && { paymentMethods: input.payment_methods }),
      ...(input.debit_access !== undefined && { debitAccess: input.debit_access }),
      ...security,
      ...(input.setup_checklist !== undefined && { setupChecklist: input.setup_checklist }),
      updatedAt: new Date(),
    };
    await MerchantSettings.upsert(row, { transaction: inTransaction });
    if (security.secondFactorPolicy !== undefined) inTransaction.afterCommit(() => forgetTenant(merchantId));
    await audit(inTransaction, caller, { action: 'settings.update', object: ['merchant', merchantId], requestId });
  });
  return getOwnSettings(caller);
}
