import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { AccessType, type AccessTypeTerms } from './model';
import { presentAccessType } from './presenter';
import { type accessTypeNames, type periods } from './schemas';

export { type AccessTypeTerms, saveAccessType } from './model';

/** By id, or by what it is: 1 month where nothing else is said. */
export interface AccessTypeChoice {
  access_type_id?: number | undefined;
  access_type?: (typeof accessTypeNames)[number] | undefined;
  quantity?: number | undefined;
  period?: (typeof periods)[number] | undefined;
}

/** In the order they were made. */
export async function listAccessTypes({ merchantId }: Caller) {
  const types = await AccessType.findAll({ where: { merchantId }, order: [['id', 'ASC']] });
  return types.map(presentAccessType);
}

/** The type that is chosen: by its id one of the merchant's; by what it is, it may not be there yet. */
export async function chooseAccessType({ merchantId }: Caller, choice: AccessTypeChoice): Promise<AccessTypeTerms> {
  const { access_type_id: id, access_type: name, quantity = 1, period = 'month' } = choice;
  if (id !== undefined) {
    const found = await AccessType.findOne({ where: { id, merchantId } });
    if (found) return found;
    throw new AppError('access_type_not_found');
  }
  if (name === undefined)
    throw new AppError('missing_parameter', { errors: { access_type_id: 'The access_type_id must not be empty.' } });
  return { merchantId, name, quantity, period };
}
