import { type z } from 'zod';
import { type RegisterField } from './registerFields.model';
import { type RegisterFieldResponse } from './registerFields.schemas';

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
