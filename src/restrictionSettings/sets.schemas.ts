import { z } from 'zod';
import { formBool, formText } from '../kit/form';
import { ListType } from '../restrictions/restrictions.schemas';

/** The common fields of country sets and geo sets. */
export const setFields = {
  name: formText({ max: 250 }),
  global: formBool(),
  type: ListType,
};

export const setShape = {
  id: z.int(),
  merchant_id: z.int(),
  name: z.string(),
  type: ListType,
  global: z.boolean(),
};
