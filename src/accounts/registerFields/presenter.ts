import { type z } from 'zod';
import { type RegisterField } from './model';
import { type RegisterFieldResponse } from './schemas';

export function presentRegisterField(field: RegisterField): z.output<typeof RegisterFieldResponse> {
  return {
    id: field.id,
    name: field.name,
    label: field.label,
    type: field.type,
    required: field.isRequired,
    default_value: field.defaultValue,
    placeholder: field.placeholder,
    options: field.options,
  };
}
