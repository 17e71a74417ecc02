import { randomBytes } from 'node:crypto';
import { type z } from 'zod';
import { hashPassword } from '../../adapters/passwords';
import { transaction } from '../../adapters/postgres/connection';
import { actorOf, writeAudit } from '../../audit/service';
import { mayCall, merchant, type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { mailToken } from '../mailedTokens/service';
import { hashNewPassword } from '../passwords/service';
import { type RegisterBody } from '../schemas';
import { createAccount, insertConsumer, refusingTakenEmail } from '../service';
import { getCaller } from '../tokens/callers/service';
import { openSession } from '../tokens/service';
import { presentCreatedCustomer } from './presenter';
import { type CreateCustomerBody } from './schemas';

export function registerAccount(input: z.output<typeof RegisterBody>, { clientAddress }: RequestFacts) {
  return createAccount(input, clientAddress);
}

/** The same as `createCustomer`, where the interface asks for no token of others (wire A.1). */
export async function createCustomerByToken(input: z.output<typeof CreateCustomerBody>, request: RequestFacts) {
  const caller = await getCaller(request.bearer, request.clientAddress);
  if (!mayCall(merchant('accounts:write'), caller)) throw new AppError('forbidden');
  return createCustomer(caller, input, request);
}

/**
 * A merchant registers a customer of its own. Without a password nobody knows one, until the customer asks for a reset.
 * Existing apps show the e-mail address as the name of who gave none (wire A.1).
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
      ? await hashPassword(randomBytes(32).toString('base64url'))
      : await hashNewPassword({ password, confirmation: password, email, merchant });
  const account = await transaction(async (inTransaction) => {
    const created = await refusingTakenEmail(() =>
      insertConsumer({ ...others, username: email, full_name }, passwordHash, caller, inTransaction),
    );
    await mailToken(inTransaction, created, 'activation');
    const entry = { action: 'account.create', objectType: 'account', objectId: created.id, requestId } as const;
    await writeAudit(inTransaction, { ...actorOf(caller), ...entry });
    return created;
  });
  return presentCreatedCustomer(account, await openSession(account, caller.merchantUuid));
}
