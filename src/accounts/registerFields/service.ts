import { type z } from 'zod';
import { getOwned, violatedConstraint, type Transaction } from '../../adapters/postgres/connection';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { getTenant } from '../oauthApps/service';
import { RegisterField } from './model';
import { presentRegisterField } from './presenter';
import { type RegisterFieldBody, type RegisterFieldChange } from './schemas';

/** As many as an account's metadata can hold. */
const fieldsMax = 50;

export async function createRegisterField(caller: Caller, input: z.output<typeof RegisterFieldBody>) {
  const { merchantId } = caller;
  if ((await RegisterField.count({ where: { merchantId } })) >= fieldsMax)
    throw new AppError('invalid_input', { errors: { name: `There are ${fieldsMax} register fields already.` } });
  const { required, default_value, ...rest } = input;
  const row = { ...rest, merchantId, isRequired: required, defaultValue: default_value };
  const field = await refusingTakenName(() => RegisterField.create(row, { returning: true }));
  return { ...message('Register field successfully created'), id: field.id };
}

export async function updateRegisterField(caller: Caller, input: z.output<typeof RegisterFieldChange>) {
  const { id, name, label, type, required, default_value: defaultValue, placeholder, options } = input;
  const field = await getOwned(RegisterField, caller.merchantId, id, 'register_field_not_found');
  const change = {
    ...(name !== undefined && { name }),
    ...(label !== undefined && { label }),
    ...(type !== undefined && { type }),
    ...(required !== undefined && { isRequired: required }),
    ...(defaultValue !== undefined && { defaultValue }),
    ...(placeholder !== undefined && { placeholder }),
    ...(options !== undefined && { options }),
  };
  await refusingTakenName(() => field.update(change));
  return { ...message('Register field successfully updated'), id };
}

/** What accounts hold under its name stays with them. */
export async function deleteRegisterField(caller: Caller, id: number) {
  const field = await getOwned(RegisterField, caller.merchantId, id, 'register_field_not_found');
  await field.destroy();
  return message('Register field successfully deleted');
}

/** In the order in which they were made, which is the order on the form. */
export async function listRegisterFields(merchantOrClient: string) {
  const { merchantId } = await getTenant(merchantOrClient);
  const fields = await RegisterField.findAll({ where: { merchantId }, order: ['id'] });
  const total = fields.length;
  return { total, page: 1, offset: 0, limit: total, collection: fields.map(presentRegisterField) };
}

/** Names of the fields that every consumer of the merchant is to fill in. */
export async function listRequiredFields(merchantId: number): Promise<string[]> {
  const fields = await RegisterField.findAll({ where: { merchantId, isRequired: true }, attributes: ['name'] });
  return fields.map(({ name }) => name);
}

/**
 * Holds metadata against the merchant's register fields: only what is sent is checked, since an account may be completed
 * later, and keys without a field are the client's own (decisions 3).
 */
export async function checkRegisterFields(
  merchantId: number,
  metadata: Record<string, string>,
  inTransaction?: Transaction,
): Promise<void> {
  const where = { merchantId, name: Object.keys(metadata) };
  const fields = await RegisterField.findAll({ where, ...(inTransaction && { transaction: inTransaction }) });
  const errors: Record<string, string> = {};
  for (const field of fields) {
    const complaint = complaintAbout(field, metadata[field.name] ?? '');
    if (complaint !== undefined) errors[`metadata.${field.name}`] = complaint;
  }
  if (Object.keys(errors).length > 0) throw new AppError('invalid_input', { errors });
}

function complaintAbout({ name, isRequired, options }: RegisterField, value: string): string | undefined {
  if (value === '') return isRequired ? `The ${name} must not be empty.` : undefined;
  const allowed = Object.keys(options);
  if (allowed.length === 0 || Object.hasOwn(options, value)) return undefined;
  return `The ${name} must be one of ${allowed.join(', ')}.`;
}

async function refusingTakenName<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (violatedConstraint(error) === 'register_fields_name') throw new AppError('register_field_exists');
    throw error;
  }
}
