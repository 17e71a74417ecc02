import { type z } from 'zod';
import { getAccountRow } from '../../accounts/accounts';
import { type BankAccount, type Mandate } from '../../adapters/cardProviders/debits';
import { MisconfiguredProvider, type CardProvider } from '../../adapters/cardProviders/provider';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { debitCurrency } from '../../kit/paymentMethods';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { getCustomer, refuseMisconfigured, type PayingCard } from '../cards';
import { getProvider } from '../provider/providers';
import { refuseUnconfirmed, rememberEntry } from '../savedCards';
import { refuseMethod } from './methods';
import { findMandate, insertMandate } from './mandates.model';
import { presentCreated, presentMandate } from './mandates.presenter';
import { type MandateBody } from './mandates.schemas';

/** Mandates for direct debits. Only the provider knows the bank account. */

/** The mandate that pays for a purchase with the method `Direct Debit`. */
export async function getMandate(caller: Caller) {
  await refuseMethod(caller, 'direct_debit');
  const { name } = await getProvider(caller.merchantId);
  const mandate = await findMandate(caller.accountId, name);
  if (!mandate) throw new AppError('mandate_not_found');
  return presentMandate(mandate);
}

/** Stores a new mandate, which pays for later purchases. Running subscriptions keep their earlier mandate. */
export async function createMandate(
  caller: Caller,
  { iban, name: holderName }: z.output<typeof MandateBody>,
  request: RequestFacts,
) {
  await refuseMethod(caller, 'direct_debit');
  const { merchantId, accountId } = caller;
  const provider = await getProvider(merchantId);
  const { url, ...mandate } = await signMandate(caller, provider, { iban, holderName }, request);
  const stored = await transaction(async (inTransaction) => {
    const mandateOf = { ...mandate, merchantId, accountId, provider: provider.name };
    const inserted = await insertMandate(inTransaction, mandateOf);
    await rememberEntry(inTransaction, caller, inserted.id);
    return inserted;
  });
  return presentCreated(stored, { url, currency: debitCurrency.toLowerCase() });
}

async function signMandate(
  caller: Caller,
  provider: CardProvider,
  account: BankAccount,
  { userAgent = 'unknown' }: RequestFacts,
): Promise<Mandate> {
  if (!provider.debits) throw new AppError('payment_method_not_offered');
  const { email } = await getAccountRow(caller.accountId);
  try {
    const owner = { accountUuid: caller.accountUuid, customer: await getCustomer(caller, provider) };
    return await provider.debits.createMandate(account, { owner, email, address: caller.clientAddress, userAgent });
  } catch (error) {
    if (!(error instanceof MisconfiguredProvider)) throw error;
    throw await refuseMisconfigured({ merchantId: caller.merchantId, provider: provider.name }, error.fault);
  }
}

/** The mandate of a purchase. Throws `missing_parameter` if the account has none. */
export async function readMandate(caller: Caller, request: RequestFacts): Promise<PayingCard> {
  const { id, token, provider } = await getLatestMandate(caller);
  const save = async (inTransaction: Transaction) => {
    await refuseUnconfirmed(inTransaction, caller, id, request);
    return id;
  };
  return { provider, token, save };
}

/** The account's mandate that can be charged, with its provider. Throws `missing_parameter` if the account has none. */
export async function getLatestMandate({ accountId, merchantId }: Caller) {
  const { name: provider } = await getProvider(merchantId);
  const mandate = await findMandate(accountId, provider);
  if (mandate) return { ...mandate, provider };
  const text = 'The payment_method needs a mandate: create one at POST /v2/payments/direct-debit/mandate first.';
  throw new AppError('missing_parameter', { errors: { payment_method: text } });
}
