import { getAccountRow } from '../accounts/accounts';
import { listRegisteredUsers } from '../accounts/registeredUsers';
import { createCustomer } from '../customers/customers';
import { type Caller, scopes } from '../kit/auth';
import { type RequestFacts } from '../kit/endpoint';
import { type DemoFill } from './demoData.model';
import { emailOf } from './script';

/** The merchant and the customers as whom the steps of demo data act. */

/** No session has this id, so that no card is remembered for one. */
const noSession = '00000000-0000-0000-0000-000000000000';
const nowhere = { sessionId: noSession, clientAddress: '', dateOfBirth: null } as const;

/** The person who asked for the data, with the rights that were checked then. */
export async function merchantOf({ merchantId, requestedBy }: DemoFill): Promise<Caller> {
  const [{ uuid: merchantUuid }, { uuid: accountUuid }] = await Promise.all([
    getAccountRow(merchantId),
    getAccountRow(requestedBy),
  ]);
  return { ...nowhere, accountId: requestedBy, accountUuid, merchantId, merchantUuid, role: 'merchant', scopes };
}

async function findReader(merchant: Caller, name: string): Promise<Caller | undefined> {
  const email = emailOf(name);
  const { collection } = await listRegisteredUsers(merchant, { search: [`title:${email}`], limit: 10 });
  const found = collection.find((account) => account.email === email);
  return found && readerOf(merchant, found);
}

function readerOf({ merchantId, merchantUuid }: Caller, { id, uuid }: { id: number; uuid: string }): Caller {
  return { ...nowhere, accountId: id, accountUuid: uuid, merchantId, merchantUuid, role: 'consumer', scopes: [] };
}

/** The reader, who registers unless an earlier attempt has done so. */
export async function registered(merchant: Caller, name: string, request: RequestFacts): Promise<Caller> {
  const known = await findReader(merchant, name);
  if (known) return known;
  const { account } = await createCustomer(merchant, { email: emailOf(name), full_name: name }, request);
  return readerOf(merchant, await getAccountRow(account.id));
}

/** A request that comes from no client. A repeated step has the same id. */
export const requestOf = (requestId: string): RequestFacts => ({
  requestId,
  clientAddress: '',
  host: undefined,
  bearer: undefined,
  userAgent: undefined,
  accept: undefined,
  acceptLanguage: undefined,
  queryText: '',
  idempotencyKey: undefined,
  cookies: undefined,
});
