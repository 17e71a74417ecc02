import { registerFieldEndpoints } from '../../../accounts/registerFields.endpoints';
import { merchant } from '../../../kit/auth';
import { AppError } from '../../../kit/errors';
import { html, type Html } from '../../../kit/html';
import { type PageResponse } from '../../../kit/pages/page';
import { type Complaint } from '../../layout/explain';
import { checkbox, complaints, field, select, submit, textarea } from '../../layout/forms';
import { type Texts, textsFor } from '../../layout/texts';
import { crudPages, type PageState, type VisitWith } from '../crudPages';
import { filled, isOn, lines, switches, type Values } from '../fields';
import { confirmButton, formCard, type MerchantVisit, refusedIf } from '../frame';
import { fileOf, table } from '../lists';
import { showSettings } from './settings';

const address = '/console/settings/registration';
const pages = crudPages({ address, auth: merchant('accounts:write'), list: fieldsPage, one: fieldPage });
const { createRegisterField, deleteRegisterField, listRegisterFields, updateRegisterField } = registerFieldEndpoints;

/** The registration fields, in addition to name, address and password. */
export const registrationPages = {
  showRegisterFields: pages.list('The registration fields'),
  addRegisterField: pages.create('Creates a registration field', ({ call, form }) =>
    call(createRegisterField, { body: fieldBody(form) }),
  ),
  showRegisterField: pages.show('One registration field'),
  updateRegisterFieldInConsole: pages.update('Changes a registration field', ({ call, params, form }) =>
    call(updateRegisterField, { body: { ...fieldBody(form), id: params.id } }),
  ),
  deleteRegisterFieldInConsole: pages.delete(
    'Deletes a registration field',
    ({ call, params }) => call(deleteRegisterField, { params }),
    { again: fieldsPage },
  ),
};

const types = ['text', 'textarea', 'checkbox', 'radio', 'select', 'country', 'us_state', 'datepicker'] as const;
const fieldNames = ['name', 'label', 'type', 'required', 'default_value', 'placeholder', 'options'];

/** An absent value is sent as a space, which clears the stored value. */
function fieldBody(sent: Values): Values {
  const { default_value = ' ', placeholder = ' ' } = sent;
  return {
    ...sent,
    ...switches(sent, ['required']),
    default_value,
    placeholder,
    options: readOptions(sent['options']),
  };
}

/** Reads one `red = Deep red` from each line. A line without a label is both value and label. */
function readOptions(sent: unknown): Record<string, string> {
  const pairs = lines(sent).map((line) => {
    const [value = '', ...text] = line.split('=').map((part) => part.trim());
    return [value, text.join('=') || value] as const;
  });
  return Object.fromEntries(pairs);
}

const writeOptions = (options: Record<string, string>) =>
  Object.entries(options)
    .map(([value, text]) => (value === text ? value : `${value} = ${text}`))
    .join('\n');

async function asked(visit: MerchantVisit) {
  const params = { merchant_uuid: visit.caller.merchantUuid };
  return (await visit.call(listRegisterFields, { params })).collection;
}

async function fieldsPage(visit: MerchantVisit, { complaint, values = {}, done }: PageState): Promise<PageResponse> {
  const texts = textsFor(visit);
  const { t } = texts;
  const rows = await asked(visit);
  const list = table({
    title: t('console.settings.registration'),
    rows,
    empty: t('console.registration.none'),
    columns: [
      {
        title: t('console.registration.label'),
        cell: ({ id, label }) => html`<a href="${address}/${id}">${label}</a>`,
      },
      { title: t('console.fields.name'), cell: ({ name }) => html`<code dir="ltr">${name}</code>` },
      { title: t('console.fields.type'), cell: ({ type }) => typeName(texts, type) },
      { title: t('console.registration.required'), cell: ({ required }) => t(required ? 'console.yes' : 'console.no') },
    ],
  });
  const content = html`${formFields(texts, values, complaint)} ${submit(t('console.registration.create'))}`;
  const whole = html`<p class="quiet">${t('console.registration.explain')}</p>
    ${list} ${fileOf(visit, texts, rows, { list: 'register-fields', query: {} })}
    ${formCard(visit, address, content, t('console.registration.create'))}`;
  return showSettings(visit, { tab: 'registration', done }, whole, refusedIf(complaint));
}

async function fieldPage(visit: VisitWith<'id'>, { complaint, values }: PageState): Promise<PageResponse> {
  const { id } = visit.params;
  const texts = textsFor(visit);
  const { t } = texts;
  const stored = (await asked(visit)).find((each) => String(each.id) === id);
  if (!stored) throw new AppError('register_field_not_found');
  const shown = values ?? { ...stored, options: writeOptions(stored.options) };
  const content = html`${formFields(texts, shown, complaint)} ${submit(t('common.save'))}`;
  const actions = confirmButton(visit, {
    action: `${address}/${id}/delete`,
    label: t('console.delete'),
    question: t('console.registration.deleteQuestion'),
  });
  const back = { address, text: t('console.settings.registration') };
  const whole = formCard(visit, `${address}/${id}`, content, stored.label);
  return showSettings(visit, { tab: 'registration', actions, back }, whole, refusedIf(complaint));
}

function typeName({ t }: Texts, type: string): string {
  const known = types.find((name) => name === type);
  return known ? t(`console.registration.types.${known}`) : type;
}

function formFields(texts: Texts, values: Values, complaint: Complaint | undefined): Html {
  const { t } = texts;
  const known = filled(values, complaint);
  // Older clients call a text field `input`.
  const type = values['type'] === 'input' ? 'text' : values['type'];
  return html`${complaints(texts, complaint, fieldNames)}
    <div class="halves">
      ${field(texts, { ...known('label'), label: t('console.registration.label'), hint: t('console.registration.labelHint'), isRequired: true })}
      ${field(texts, { ...known('name'), label: t('console.fields.name'), hint: t('console.registration.nameHint'), isRequired: true })}
    </div>
    <div class="halves">
      ${select(texts, {
        ...known('type'),
        value: typeof type === 'string' ? type : undefined,
        label: t('console.fields.type'),
        choices: types.map((name) => [name, t(`console.registration.types.${name}`)] as const),
        isRequired: true,
      })}
      ${field(texts, { ...known('placeholder'), label: t('console.registration.placeholder') })}
      ${field(texts, { ...known('default_value'), label: t('console.registration.default') })}
    </div>
    ${textarea(texts, { ...known('options'), label: t('console.registration.options'), hint: t('console.registration.optionsHint') })}
    ${checkbox({ name: 'required', label: t('console.registration.isRequired'), isChecked: isOn(values['required']) })}`;
}
