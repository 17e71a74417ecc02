import { type z } from 'zod';
import { mayUseSavedCard, rememberTypedCard } from '../../accounts/tokens/devices';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { debitCurrency } from '../../kit/paymentMethods';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { type PayingCard } from '../cards';
import { getProvider } from '../provider/providers';
import { refuseMethod } from './methods';
import { findMandate, insertMandate, type StoredMandate } from './mandates.model';
import { presentCreated, presentMandate } from './mandates.presenter';
import { type MandateBody } from './mandates.schemas';

/** Mandates for direct debits. The bank account is known to the provider only. */

/** The mandate that pays if a purchase names the method `Direct Debit`. */
export async function getMandate(caller: Caller) {
  await refuseMethod(caller, 'direct_debit');
  const { name } = await getProvider(caller.merchantId);
  const mandate = await findMandate(caller.accountId, name);
  if (!mandate) throw new AppError('mandate_not_found');
  return presentMandate(mandate);
}

/** Stores a new mandate, which pays for later purchases. Running subscriptions keep theirs. */
export async function createMandate(caller: Caller, { iban, name: holderName }: z.output<typeof MandateBody>) {
  await refuseMethod(caller, 'direct_debit');
  const { merchantId, accountId } = caller;
  const { name: provider, debits } = await getProvider(merchantId);
  if (!debits) throw new AppError('payment_method_not_offered');
  const { url, ...mandate } = await debits.createMandate({ iban, holderName });
  const stored = await transaction(async (inTransaction) => {
    await rememberTypedCard(inTransaction, caller);
    return insertMandate(inTransaction, { ...mandate, merchantId, accountId, provider });
  });
  return presentCreated(stored, { url, currency: debitCurrency.toLowerCase() });
}

/** The mandate of a purchase. Throws `missing_parameter` if the account has none. */
export async function readMandate(caller: Caller, request: RequestFacts): Promise<PayingCard> {
  const { name: provider } = await getProvider(caller.merchantId);
  const mandate = await findMandate(caller.accountId, provider);
  const save = async (inTransaction: Transaction, { id }: StoredMandate) => {
    if (!(await mayUseSavedCard(inTransaction, caller, request))) throw new AppError('card_confirmation_required');
    return id;
  };
  if (mandate) return { provider, token: mandate.token, save: (inTransaction) => save(inTransaction, mandate) };
  const text = 'The payment_method needs a mandate: create one at POST /v2/payments/direct-debit/mandate first.';
  throw new AppError('missing_parameter', { errors: { payment_method: text } });
}
