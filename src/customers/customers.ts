import { type z } from 'zod';
import { unusablePassword } from '../adapters/passwords';
import { transaction } from '../adapters/postgres/connection';
import { audit } from '../audit/audit';
import { requireRights } from '../kit/admission';
import { merchant, type Caller } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { mailToken } from '../accounts/signIn/mailedTokens';
import { hashNewPassword } from '../accounts/signIn/passwords';
import { createAccount, insertConsumer, type Registration, publishCustomer } from '../accounts/accounts';
import { getCaller } from '../accounts/tokens/callers';
import { openSession } from '../accounts/tokens/tokens';
import { presentCreatedCustomer } from './customers.presenter';
import { type CreateCustomerBody } from './customers.schemas';

export function registerAccount(input: Registration, request: RequestFacts) {
  return createAccount(input, request);
}

/** `createCustomer` for the path that declares no authentication: the token is checked here. */
export async function createCustomerByToken(input: z.output<typeof CreateCustomerBody>, request: RequestFacts) {
  const caller = await getCaller(request.bearer, request.clientAddress);
  requireRights(merchant('accounts:write'), caller);
  return createCustomer(caller, input, request);
}

/**
 * Registers a customer of the merchant. Without a given password the customer has none, and can request one by mail.
 * Existing apps expect the e-mail address as the name of a customer without one.
 */
export async function createCustomer(
  caller: Caller,
  input: z.output<typeof CreateCustomerBody>,
  { requestId }: RequestFacts,
) {
  const { email, full_name = email, password, ...others } = input;
  const merchant = { id: caller.merchantId };
  const passwordHash =
    password === undefined
      ? unusablePassword()
      : await hashNewPassword({ password, confirmation: password, email, merchant });
  const account = await transaction(async (inTransaction) => {
    const registration = { ...others, username: email, full_name };
    const created = await insertConsumer(registration, passwordHash, caller, inTransaction);
    await mailToken(inTransaction, created, 'activation');
    await audit(inTransaction, caller, { action: 'account.create', object: ['account', created.id], requestId });
    await publishCustomer(inTransaction, created, 'customer.registered');
    return created;
  });
  return presentCreatedCustomer(account, await openSession(account, caller.merchantUuid));
}
