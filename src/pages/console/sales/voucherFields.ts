import { html, type Html } from '../../../kit/html';
import { type Complaint } from '../../layout/explain';
import { checkbox, field, select } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { startOfDay, timeField } from '../../layout/times';
import { filled, isOn, type Values } from '../fields';
import { folded } from '../frame';

/** The fields of voucher terms. The forms of a voucher and of a batch share them. */

export const termNames = [
  ...['name', 'discount', 'rebill_discount', 'discount_amount', 'rebill_discount_amount', 'discount_currency'],
  ...['discount_period', 'discount_duration', 'start_date', 'end_date'],
  ...['usage_limit', 'usage_limit_per_customer', 'new_customers_only'],
];
export const voucherFields = [...termNames, 'code', 'prefix', 'length', 'suffix'];

/** A percentage, or an amount in its currency. */
export function discountText(
  { percent, money }: Texts,
  row: { discount: number; discount_amount: number | null; discount_currency: string | null },
): string {
  const { discount, discount_amount: amount, discount_currency: currency } = row;
  return amount === null || currency === null ? percent(discount) : money(amount, currency);
}

export function codeFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  return html`<div class="halves">
    ${field(texts, { ...known('name'), label: t('console.fields.name'), isRequired: true })}
    ${field(texts, { ...known('code'), label: t('console.fields.code'), hint: t('console.vouchers.codeHint') })}
  </div>`;
}

export function termFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const today = startOfDay(texts, new Date());
  const lasting = ['once', 'repeating', 'forever'] as const;
  return html`${discountFields(texts, values, complaint)}
    <div class="halves">
      ${select(texts, {
        ...known('discount_period'),
        label: t('console.vouchers.lasts'),
        choices: lasting.map((name) => [name, t(`console.vouchers.${name}`)] as const),
        isRequired: true,
      })}
      ${field(texts, { ...unlessZero(known('discount_duration')), label: t('console.vouchers.charges'), inputmode: 'numeric' })}
    </div>
    <div class="halves">
      ${timeField(texts, { ...known('start_date'), value: known('start_date').value ?? today, label: t('console.fields.from'), isRequired: true })}
      ${timeField(texts, { ...known('end_date'), label: t('console.fields.until') })}
    </div>
    <div class="halves">
      ${field(texts, { ...known('usage_limit'), label: t('console.vouchers.usageLimit'), inputmode: 'numeric' })}
      ${field(texts, { ...known('usage_limit_per_customer'), label: t('console.vouchers.customerLimit'), inputmode: 'numeric' })}
    </div>
    ${checkbox({
      ...known('new_customers_only'),
      value: 'true',
      isChecked: isOn(values['new_customers_only']),
      label: t('console.vouchers.newCustomersOnly'),
      hint: t('console.vouchers.newCustomersHint'),
    })}`;
}

/** The fields for a percentage or an amount. */
function discountFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const hint = t('console.vouchers.amountHint');
  return html`<div class="halves">
      ${field(texts, { ...unlessZero(known('discount')), label: t('console.vouchers.discountPercent'), inputmode: 'numeric' })}
      ${field(texts, { ...known('rebill_discount'), label: t('console.vouchers.rebillDiscount'), inputmode: 'numeric' })}
    </div>
    <div class="halves">
      ${field(texts, { ...known('discount_amount'), label: t('console.vouchers.discountAmount'), hint, inputmode: 'decimal' })}
      ${field(texts, { ...known('discount_currency'), label: t('console.fields.currency'), maxlength: 3 })}
      ${field(texts, { ...known('rebill_discount_amount'), label: t('console.vouchers.rebillAmount'), inputmode: 'decimal' })}
    </div>`;
}

/** The field with its value, empty for 0. For fields in which 0 means no value. */
const unlessZero = <T extends { value: string | undefined }>(known: T): T =>
  known.value === '0' ? { ...known, value: undefined } : known;

/** The fields for the generation of a code, used if no code is entered. */
export function generatedFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  const isOpen = ['prefix', 'length', 'suffix'].some((name) => complaint?.fields[name] !== undefined);
  const parts = html`<div class="halves">
    ${field(texts, { ...known('prefix'), label: t('console.vouchers.prefix'), maxlength: 25 })}
    ${field(texts, { ...known('length'), label: t('console.vouchers.length'), hint: t('console.vouchers.lengthHint'), inputmode: 'numeric' })}
    ${field(texts, { ...known('suffix'), label: t('console.vouchers.suffix'), maxlength: 25 })}
  </div>`;
  return folded(t('console.vouchers.generated'), parts, isOpen);
}
