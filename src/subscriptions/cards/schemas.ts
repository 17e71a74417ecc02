import { z } from 'zod';
import { formText } from '../../kit/form';
import { passesLuhn } from '../../kit/validate';

const digits = (text: string) => text.replace(/[ -]/g, '');

/** A card as clients send it (wire E.1): blanks in the number, month `2` or `02`, year `30` or `2030`. */
export const cardFields = {
  number: formText({ max: 30 })
    .transform(digits)
    .refine((number) => /^\d{12,19}$/.test(number) && passesLuhn(number), 'must be a card number'),
  card_name: formText({ max: 100 }),
  exp_month: formText({ max: 2 })
    .transform(Number)
    .refine((month) => Number.isInteger(month) && month >= 1 && month <= 12, 'must be a month from 1 to 12'),
  exp_year: formText({ max: 4 })
    .refine((year) => /^(\d{2}|\d{4})$/.test(year), 'must be a year of two or four digits')
    .transform((year) => (year.length === 2 ? 2000 + Number(year) : Number(year))),
  cvv: formText({ max: 4 }).refine((code) => /^\d{3,4}$/.test(code), 'must be three or four digits'),
};

export const CardBody = z.object(cardFields);
export type CardInput = z.output<typeof CardBody>;
