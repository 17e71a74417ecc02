import { z } from 'zod';
import { formBool, formId, formMetadata, formText } from '../kit/form';
import { Message, pageOf } from '../kit/page';

/** The field types that clients can show. */
const fieldTypes = [
  'text',
  'input',
  'textarea',
  'checkbox',
  'radio',
  'select',
  'country',
  'us_state',
  'datepicker',
] as const;

// A field's name is a key in the metadata of accounts, so both follow the same rule.
const namePattern = /^(?!(?:__proto__|constructor|prototype)$)[\w.-]{1,64}$/;

const rules = {
  name: formText({ max: 64 }).pipe(z.string().regex(namePattern, 'must be letters, digits, dots or dashes')),
  label: formText({ max: 2000 }),
  type: z.enum(fieldTypes),
  required: formBool(),
  /** A blank text removes the value, because an empty field counts as absent. */
  default_value: z.string().trim().max(2000),
  placeholder: z.string().trim().max(2000),
  /** Values and their labels. A list of such objects is merged into one. */
  options: z.preprocess(mergeList, formMetadata()),
};

export const RegisterFieldBody = z.object({
  name: rules.name,
  label: rules.label,
  type: rules.type,
  required: rules.required.default(false),
  default_value: rules.default_value.default(''),
  placeholder: rules.placeholder.default(''),
  options: rules.options.default({}),
});

/** Absent fields stay unchanged. */
export const RegisterFieldChange = z.object({ id: formId(), ...z.object(rules).partial().shape });

export const RegisterFieldPath = z.object({ id: formId() });
export const MerchantPath = z.object({ merchant_uuid: z.string().min(1).max(100) });

export const SavedRegisterField = Message.extend({ id: z.int() });

export const RegisterFieldResponse = z.object({
  id: z.int(),
  name: z.string(),
  label: z.string(),
  type: z.string(),
  required: z.boolean(),
  default_value: z.string(),
  placeholder: z.string(),
  options: z.record(z.string(), z.string()),
});

export const RegisterFieldList = pageOf(RegisterFieldResponse);

function mergeList(value: unknown): unknown {
  const isListOfObjects = Array.isArray(value) && value.every((entry) => typeof entry === 'object' && entry !== null);
  if (!isListOfObjects || value.some((entry) => 'name' in entry && 'value' in entry)) return value;
  return Object.fromEntries(value.flatMap((entry: object) => Object.entries(entry)));
}
