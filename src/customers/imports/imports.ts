import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { unusablePassword } from '../../adapters/passwords';
import { transaction, type Transaction } from '../../adapters/postgres/connection';
import { customerEvents, insertConsumers } from '../../accounts/accounts';
import { mailToken } from '../../accounts/signIn/mailedTokens';
import { auditAll } from '../../audit/audit';
import { grantEvent } from '../../entitlements/entitlements';
import { mayCall, merchant, type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { publish } from '../../notifications/publish';
import { giveByHand } from '../grants';
import { inOrder, refuseFaults } from './faults';
import { findHeld, type KnownCustomer, lockCustomers } from './imports.model';
import { type ImportBody, type ImportResponse } from './imports.schemas';
import { faultsOfHeld, faultsOfInactive, type Plan, planImport, wantedBy } from './plans';
import { type ImportRow, readRows } from './rows';

type Result = z.output<typeof ImportResponse>;

/**
 * Creates the customers of a file who are not known yet, and gives access that is paid elsewhere. All of it is one
 * transaction, and a file with a fault is refused. A dry run writes nothing and returns the faults.
 */
export async function importCustomers(
  caller: Caller,
  { csv, dry_run: isDryRun, send_mails: sendsMails }: z.output<typeof ImportBody>,
  { requestId }: RequestFacts,
): Promise<Result> {
  const file = readRows(csv);
  if (file.rows.some(({ access }) => access) && !mayCall(merchant('items:write'), caller))
    throw new AppError('forbidden', { explain: 'The file gives access to items, which needs the right items:write' });
  const plan = await planImport(caller, file);
  if (isDryRun) return describePlan(plan, sendsMails);
  refuseFaults(plan.faults);
  const passwordHash = unusablePassword();
  return transaction((inTransaction) => write(inTransaction, caller, plan, { passwordHash, sendsMails, requestId }));
}

function describePlan({ total, accessRows, heldRows, ...plan }: Plan, sendsMails: boolean): Result {
  return {
    dry_run: true,
    rows: total,
    new_customers: plan.newCustomers.length,
    known_customers: plan.knownCustomers.map(named),
    new_accesses: accessRows.length - heldRows,
    known_accesses: heldRows,
    mails: sendsMails ? plan.newCustomers.length : 0,
    faults: inOrder(plan.faults),
  };
}

const named = ({ line, customer }: ImportRow) => ({ line, email: customer.email });

interface Writing {
  /** The customers of the file have no password. */
  passwordHash: string;
  sendsMails: boolean;
  requestId: string;
}

/** A customer who was registered since the plan was made is known. */
async function write(
  inTransaction: Transaction,
  caller: Caller,
  { total, newCustomers, knownCustomers, accessRows }: Plan,
  { passwordHash, sendsMails, requestId }: Writing,
): Promise<Result> {
  const inputs = newCustomers.map(({ customer: { email, full_name = email, ...others } }) => ({
    ...others,
    username: email,
    full_name,
  }));
  const created = await insertConsumers(inputs, passwordHash, caller, inTransaction);
  await refuseHeld(inTransaction, caller, newCustomers);
  if (sendsMails) for (const account of created) await mailToken(inTransaction, account, 'activation');
  const given = await giveAccess(inTransaction, caller, accessRows);
  await auditAll(inTransaction, caller, [
    ...created.map(({ id }) => ({ action: 'account.create', object: ['account', id], requestId }) as const),
    ...given.map(({ id }) => ({ action: 'access.grant', object: ['access', id], requestId }) as const),
  ]);
  await publishAll(inTransaction, caller, created, given);
  const createdAddresses = new Set(created.map(({ emailNormalized }) => emailNormalized));
  const sinceKnown = newCustomers.filter(({ address }) => !createdAddresses.has(address));
  return {
    dry_run: false,
    rows: total,
    new_customers: created.length,
    known_customers: [...knownCustomers, ...sinceKnown].map(named),
    new_accesses: given.length,
    known_accesses: accessRows.length - given.length,
    mails: sendsMails ? created.length : 0,
    faults: [],
  };
}

/** A customer may have left one of the addresses since the plan was made. */
async function refuseHeld(
  inTransaction: Transaction,
  { merchantId }: Caller,
  rows: readonly ImportRow[],
): Promise<void> {
  const addresses = rows.map(({ address }) => address);
  const customers = await lockCustomers(inTransaction, merchantId, addresses);
  refuseFaults(await faultsOfHeld(merchantId, rows, customers, inTransaction));
}

type Created = Awaited<ReturnType<typeof insertConsumers>>;
type Given = Awaited<ReturnType<typeof giveByHand>>;

async function giveAccess(
  inTransaction: Transaction,
  { merchantId }: Caller,
  rows: readonly ImportRow[],
): Promise<Given[]> {
  const customers: ReadonlyMap<string, KnownCustomer> = await lockCustomers(
    inTransaction,
    merchantId,
    rows.map(({ address }) => address),
  );
  refuseFaults(faultsOfInactive(rows, customers));
  const wanted = wantedBy(rows, customers);
  const held = await findHeld(
    wanted.map((each) => each.wanted),
    inTransaction,
  );
  const startsAt = await merchantNow(merchantId, inTransaction);
  const given: Given[] = [];
  for (const { customer: account, wanted: access } of wanted) {
    if (held.has(access)) continue;
    const { itemId, until: expiresAt } = access;
    const grant = { merchantId, account, itemId, accessFeeId: null, startsAt, expiresAt };
    given.push(await giveByHand(inTransaction, grant));
  }
  return given;
}

const eventsAtOnce = 50;

/** In parts, because an event of access contains the whole item. */
async function publishAll(
  inTransaction: Transaction,
  { merchantId }: Caller,
  created: Created,
  given: readonly Given[],
): Promise<void> {
  const events = [
    ...(await customerEvents(inTransaction, created, 'customer.registered')),
    ...given.map((access) => grantEvent(access)),
  ];
  for (let start = 0; start < events.length; start += eventsAtOnce)
    await publish(inTransaction, merchantId, events.slice(start, start + eventsAtOnce));
}
