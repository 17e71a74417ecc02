import { type z } from 'zod';
import { getOwned, type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { type PageQuery, wholeRange } from '../kit/page';
import { AccessType, type AccessTypeTerms } from './accessTypes.model';
import { presentAccessType } from './accessTypes.presenter';
import { type accessTypeNames, type periods } from './accessTypes.schemas';

export { type AccessTypeTerms, saveAccessType } from './accessTypes.model';

/** An access type by its id, or by its name and period, which defaults to 1 month. */
export interface AccessTypeChoice {
  access_type_id?: number | undefined;
  access_type?: (typeof accessTypeNames)[number] | undefined;
  quantity?: number | undefined;
  period?: (typeof periods)[number] | undefined;
}

/** The types of most fees, so that a merchant can create its first fee by the id of a type. */
const standardTypes = [
  { name: 'subscription', quantity: 1, period: 'month' },
  { name: 'subscription', quantity: 1, period: 'year' },
  { name: 'ppv', quantity: 24, period: 'hour' },
] as const;

/** Runs in the transaction that registers the merchant. */
export async function insertStandardTypes(inTransaction: Transaction, merchantId: number): Promise<void> {
  await AccessType.bulkCreate(
    standardTypes.map((type) => ({ ...type, merchantId })),
    { transaction: inTransaction },
  );
}

/** In the order of creation. */
export async function listAccessTypes({ merchantId }: Caller, query: z.output<typeof PageQuery>) {
  const { limit, offset } = wholeRange(query);
  const types = await AccessType.findAll({ where: { merchantId }, order: [['id', 'ASC']], limit, offset });
  return types.map(presentAccessType);
}

/** Finds the merchant's access type by its id, or finds or creates it by its name and period. */
export async function chooseAccessType({ merchantId }: Caller, choice: AccessTypeChoice): Promise<AccessTypeTerms> {
  const { access_type_id: id, access_type: name, quantity = 1, period = 'month' } = choice;
  if (id !== undefined) return getOwned(AccessType, merchantId, id, 'access_type_not_found');
  if (name === undefined)
    throw new AppError('missing_parameter', { errors: { access_type_id: 'The access_type_id must not be empty.' } });
  return { merchantId, name, quantity, period };
}
