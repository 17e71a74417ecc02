import { html, type Html } from '../../../kit/html';
import { type Visit } from '../../../kit/pages/page';
import { newCardFields } from '../../customer/cards';
import { feeContent, type ShownFee } from '../../customer/fees';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, type FieldOptions, radios, select, submit, textarea } from '../../layout/forms';
import { type Texts } from '../../layout/texts';
import { dayField, timeField } from '../../layout/times';
import { formCard, readOnlyCard } from '../frame';
import { searchForm } from '../lists';
import { scopeBoxes } from '../scopeBoxes';
import { place } from './place';

/** Fields of each type and in each state. */

/** A new type is missing here until it has a sample. */
const values: Record<NonNullable<FieldOptions['type']>, string> = {
  text: 'Ada',
  email: 'reader@example.com',
  password: '',
  tel: '+49 30 123456',
  number: '12',
  date: '2030-01-31',
  'datetime-local': '2030-01-31T12:00:00',
  search: 'cup',
  url: 'https://example.com',
  color: '#4f46e5',
  file: '',
};

export function fields(visit: Visit, texts: Texts): Html {
  const { t } = texts;
  const message = t('errors.required');
  const complaint = {
    message,
    fields: Object.fromEntries(Object.keys(wrongFields(texts)).map((name) => [name, message])),
  };
  return html`${formCard(visit, place, states(texts, complaint), t('console.styleguide.states'))}
  ${formCard(visit, place, types(texts), t('console.styleguide.types'))} ${readOnly(texts)}
  ${formCard(visit, place, choices(texts, complaint), t('console.styleguide.choices'))}
  ${searchForm(texts, { action: place, search: '' })}`;
}

function readOnly(texts: Texts): Html {
  const label = texts.t('console.styleguide.readOnly');
  return readOnlyCard(field(texts, { name: 'readOnly', label, value: values.text }), label);
}

function states(texts: Texts, complaint: Complaint): Html {
  const { t } = texts;
  const label = (name: 'empty' | 'filled' | 'error' | 'hint' | 'disabled') => t(`console.styleguide.${name}`);
  return html`${complaints(texts, complaint, wrongFields(texts))}
    <div class="halves">
      ${field(texts, { name: 'empty', label: label('empty'), placeholder: t('console.styleguide.placeholder') })}
      ${field(texts, { name: 'filled', label: label('filled'), value: values.text, isRequired: true })}
      ${field(texts, { name: 'wrong', label: label('error'), complaint, isRequired: true })}
      ${field(texts, { name: 'hinted', label: label('hint'), hint: t('console.styleguide.hintText') })}
      ${field(texts, { name: 'off', label: label('disabled'), value: values.text, more: { disabled: '' } })}
    </div>
    ${submit(t('common.save'))}`;
}

/** The fields that have an error, with their labels. */
const wrongFields = ({ t }: Texts) => ({
  wrong: t('console.styleguide.error'),
  'wrong-choice': t('console.styleguide.choice'),
  'wrong-lines': t('console.styleguide.lines'),
  'wrong-box': t('console.styleguide.box'),
  'wrong-plan': t('console.styleguide.plans'),
});

function types(texts: Texts): Html {
  const { t } = texts;
  const each = Object.entries(values).map(([type, value]) =>
    field(texts, { name: `of-${type}`, type: type as keyof typeof values, label: type, value, autocomplete: 'off' }),
  );
  const entry = { isPossible: true, form: undefined, formMethods: ['card'] } as const;
  const card = { entry, purpose: { amount: 0, currency: 'EUR' } } as const;
  return html`<div class="halves">${each}</div>
    ${timeField(texts, { name: 'time', label: t('console.styleguide.time') })}
    ${dayField(texts, { name: 'day', label: t('console.books.day') })}
    ${newCardFields(texts, { ...card, name: undefined, complaint: undefined })}`;
}

function choices(texts: Texts, complaint: Complaint): Html {
  const { t } = texts;
  const label = t('console.styleguide.choice');
  const listed = [
    ['', ''],
    ['day', t('console.clock.day')],
    ['week', t('console.clock.week')],
  ] as const;
  const list = { label, choices: listed };
  const plans = planFees(texts).map((fee, index) => ({
    value: String(index),
    content: feeContent(texts, fee, { beside: planFees(texts) }),
  }));
  return html`<div class="halves">
      ${select(texts, { ...list, name: 'choice', value: 'day' })}
      ${select(texts, { ...list, name: 'wrong-choice', complaint, isRequired: true })}
      ${select(texts, { ...list, name: 'no-choice', more: { disabled: '' } })}
    </div>
    ${textarea(texts, { name: 'lines', label: t('console.styleguide.lines'), value: t('console.styleguide.sample') })}
    ${textarea(texts, { name: 'wrong-lines', label: t('console.styleguide.lines'), complaint, isRequired: true })}
    ${checkbox({ name: 'box', label: t('console.styleguide.box'), hint: t('console.styleguide.hintText') })}
    ${checkbox({ name: 'checked', label: t('console.styleguide.box'), isChecked: true })}
    ${checkbox({ name: 'wrong-box', label: t('console.styleguide.box'), complaint })}
    ${checkbox({ name: 'no-box', label: t('console.styleguide.disabled'), more: { disabled: '' } })}
    ${scopeBoxes(texts, { held: ['items:read'], of: 'sample', offered: ['items:read', 'items:write'] })}
    ${radios({ name: 'plan', label: t('console.styleguide.plans'), value: '1', choices: plans })}
    ${radios({ name: 'wrong-plan', label: t('console.styleguide.plans'), choices: plans.slice(0, 1), complaint })}
    <div class="choice still">${plans[2]?.content}</div>`;
}

/** A plan with its terms, one that saves, and one without payment. */
function planFees({ t }: Texts): ShownFee[] {
  const plan = { currency: 'EUR', expires_at: 0, setup_fee: null, trial_period: null } as const;
  return [
    {
      ...plan,
      amount: 9.99,
      description: t('console.styleguide.monthly'),
      access_type: { name: 'subscription', quantity: 1, period: 'month' },
      trial_period: { quantity: 7, period: 'day' },
      setup_fee: { fee_amount: 2 },
    },
    {
      ...plan,
      amount: 99,
      description: t('console.styleguide.yearly'),
      access_type: { name: 'subscription', quantity: 1, period: 'year' },
    },
    {
      ...plan,
      amount: 0,
      description: t('console.styleguide.free'),
      access_type: { name: 'freemium', quantity: 1, period: 'month' },
    },
  ];
}
