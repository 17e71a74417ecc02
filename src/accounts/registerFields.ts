import { type z } from 'zod';
import { getOwned, transaction, violatedConstraint, type Transaction } from '../adapters/postgres/connection';
import { isAtLimit } from '../adapters/postgres/limits';
import { audit } from '../audit/audit';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { getTenant } from '../oauthApps/clients';
import { RegisterField } from './registerFields.model';
import { presentRegisterField } from './registerFields.presenter';
import { type RegisterFieldBody, type RegisterFieldChange } from './registerFields.schemas';

/** The limit of keys in an account's metadata. */
const fieldsMax = 50;

export async function createRegisterField(caller: Caller, input: z.output<typeof RegisterFieldBody>) {
  const { merchantId } = caller;
  const { required, default_value, ...rest } = input;
  const row = { ...rest, merchantId, isRequired: required, defaultValue: default_value };
  const field = await refusingTakenName(() =>
    transaction(async (inTransaction) => {
      if (await isAtLimit(RegisterField, { merchantId, max: fieldsMax }, inTransaction))
        throw new AppError('invalid_input', { errors: { name: `There are ${fieldsMax} register fields already.` } });
      const created = await RegisterField.create(row, { returning: true, transaction: inTransaction });
      await auditField(inTransaction, caller, 'register_field.create', created.id);
      return created;
    }),
  );
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
  await refusingTakenName(() =>
    transaction(async (inTransaction) => {
      await field.update(change, { transaction: inTransaction });
      await auditField(inTransaction, caller, 'register_field.update', id);
    }),
  );
  return { ...message('Register field successfully updated'), id };
}

/** Accounts keep the values that they have for the field. */
export async function deleteRegisterField(caller: Caller, id: number) {
  const field = await getOwned(RegisterField, caller.merchantId, id, 'register_field_not_found');
  await transaction(async (inTransaction) => {
    await field.destroy({ transaction: inTransaction });
    await auditField(inTransaction, caller, 'register_field.delete', id);
  });
  return message('Register field successfully deleted');
}

function auditField(inTransaction: Transaction, caller: Caller, action: `register_field.${string}`, id: number) {
  return audit(inTransaction, caller, { action, object: ['register_field', id] });
}

/** Lists the fields in the order of their creation, which is their order in the form. */
export async function listRegisterFields(merchantOrClient: string) {
  const { merchantId } = await getTenant(merchantOrClient);
  const fields = await RegisterField.findAll({ where: { merchantId }, order: ['id'] });
  const total = fields.length;
  return { total, page: 1, offset: 0, limit: total, collection: fields.map(presentRegisterField) };
}

/** The names of the fields that every consumer of the merchant must fill in. */
export async function listRequiredFields(merchantId: number, inTransaction?: Transaction): Promise<string[]> {
  const fields = await RegisterField.findAll({
    where: { merchantId, isRequired: true },
    attributes: ['name'],
    ...(inTransaction && { transaction: inTransaction }),
  });
  return fields.map(({ name }) => name);
}

/**
 * Checks metadata against the merchant's register fields. Only fields that are sent are checked, because an account may
 * be completed later. Keys without a field belong to the client.
 */
export async function checkRegisterFields(
  merchantId: number,
  metadata: Record<string, string>,
  inTransaction?: Transaction,
): Promise<void> {
  const check = await registerFieldCheck(merchantId, Object.keys(metadata), inTransaction);
  const errors = Object.entries(check(metadata)).map(([field, { message }]) => [field, message] as const);
  if (errors.length > 0) throw new AppError('invalid_input', { errors: Object.fromEntries(errors) });
}

/** An answer that a field refuses. `allowed`: the answers that it accepts; empty if it accepts every text. */
export interface RefusedAnswer {
  message: string;
  allowed: string[];
}

/** A check of metadata with these names, which returns the refused answers by field. */
export async function registerFieldCheck(merchantId: number, names: readonly string[], inTransaction?: Transaction) {
  const where = { merchantId, name: [...names] };
  const fields = await RegisterField.findAll({ where, ...(inTransaction && { transaction: inTransaction }) });
  return (metadata: Readonly<Record<string, string>>): Record<string, RefusedAnswer> => {
    const errors: Record<string, RefusedAnswer> = {};
    for (const field of fields) {
      const value = metadata[field.name];
      const complaint = value === undefined ? undefined : complaintAbout(field, value);
      if (complaint !== undefined) errors[`metadata.${field.name}`] = complaint;
    }
    return errors;
  };
}

function complaintAbout({ name, isRequired, options }: RegisterField, value: string): RefusedAnswer | undefined {
  if (value === '') return isRequired ? { message: `The ${name} must not be empty.`, allowed: [] } : undefined;
  const allowed = Object.keys(options);
  if (allowed.length === 0 || Object.hasOwn(options, value)) return undefined;
  return { message: `The ${name} must be one of ${allowed.join(', ')}.`, allowed };
}

async function refusingTakenName<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (violatedConstraint(error) === 'register_fields_name') throw new AppError('register_field_exists');
    throw error;
  }
}
