import { merchantNow } from '../../adapters/clock';
import { type Transaction } from '../../adapters/postgres/connection';
import { findHeldAddresses } from '../../accounts/emailChanges/heldAddresses';
import { registerFieldCheck } from '../../accounts/registerFields';
import { type Caller } from '../../kit/auth';
import { isPossibleEnd } from '../grants';
import { type Fault, faultAt, optionAt } from './faults';
import { findCustomers, findHeld, findItems, type KnownCustomer } from './imports.model';
import { type ImportRow, type ReadFile } from './rows';

/** What an import of a file would do. */
export interface Plan {
  total: number;
  /** The first row of each customer. */
  newCustomers: ImportRow[];
  knownCustomers: ImportRow[];
  /** The rows with access. */
  accessRows: ImportRow[];
  /** The rows whose customer has the access already. */
  heldRows: number;
  faults: Fault[];
}

/** Compares the rows of a file with the merchant's customers and items. */
export async function planImport(
  { merchantId }: Caller,
  { total, rows, faults: faultsOfFile }: ReadFile,
): Promise<Plan> {
  const customers = await findCustomers(
    merchantId,
    rows.map(({ address }) => address),
  );
  const faults = [
    ...faultsOfFile,
    ...(await faultsOfMetadata(merchantId, rows)),
    ...(await faultsOfAccess(merchantId, rows)),
    ...faultsOfInactive(rows, customers),
    ...(await faultsOfHeld(merchantId, rows, customers)),
  ];
  const faulty = new Set(faults.map(({ line }) => line));
  const good = rows.filter(({ line }) => !faulty.has(line));
  const firstRows = [...new Map(good.toReversed().map((row) => [row.address, row])).values()].toReversed();
  const accessRows = good.filter(({ access }) => access !== undefined);
  return {
    total,
    newCustomers: firstRows.filter(({ address }) => !customers.has(address)),
    knownCustomers: firstRows.filter(({ address }) => customers.has(address)),
    accessRows,
    heldRows: (await findHeld(wantedBy(accessRows, customers).map(({ wanted }) => wanted))).size,
    faults,
  };
}

/** The accesses of the rows whose customers exist. */
export function wantedBy(rows: readonly ImportRow[], customers: ReadonlyMap<string, KnownCustomer>) {
  return rows.flatMap(({ address, access }) => {
    const customer = customers.get(address);
    return customer && access ? [{ customer, wanted: { accountId: customer.id, ...access } }] : [];
  });
}

/** An address that its former customer can still take back has no customer, and cannot get one. */
export async function faultsOfHeld(
  merchantId: number,
  rows: readonly ImportRow[],
  customers: ReadonlyMap<string, KnownCustomer>,
  inTransaction?: Transaction,
): Promise<Fault[]> {
  const unknown = rows.filter(({ address }) => !customers.has(address));
  const held = await findHeldAddresses(
    merchantId,
    unknown.map(({ address }) => address),
    inTransaction,
  );
  return unknown.filter(({ address }) => held.has(address)).map(({ line }) => faultAt(line, 'address_held', 'email'));
}

async function faultsOfMetadata(merchantId: number, rows: readonly ImportRow[]): Promise<Fault[]> {
  const names = new Set(rows.flatMap(({ customer }) => Object.keys(customer.metadata ?? {})));
  const check = await registerFieldCheck(merchantId, [...names]);
  return rows.flatMap(({ line, customer }) =>
    Object.entries(check(customer.metadata ?? {})).map(([column, refused]) => optionAt(line, column, refused)),
  );
}

async function faultsOfAccess(merchantId: number, rows: readonly ImportRow[]): Promise<Fault[]> {
  const present = await merchantNow(merchantId);
  const items = await findItems(merchantId, [...new Set(rows.flatMap(({ access }) => access?.itemId ?? []))]);
  return rows.flatMap(({ line, access }) => {
    if (!access) return [];
    const { itemId, until } = access;
    const ofItem = items.has(itemId) ? [] : [faultAt(line, 'item_unknown', 'item_id')];
    return isPossibleEnd(until, present) ? ofItem : [...ofItem, faultAt(line, 'date_past', 'access_until')];
  });
}

/** A deactivated customer gets no access. */
export function faultsOfInactive(
  rows: readonly ImportRow[],
  customers: ReadonlyMap<string, Pick<KnownCustomer, 'isActive'>>,
): Fault[] {
  return rows
    .filter(({ address, access }) => access !== undefined && customers.get(address)?.isActive === false)
    .map(({ line }) => faultAt(line, 'inactive', 'email'));
}
