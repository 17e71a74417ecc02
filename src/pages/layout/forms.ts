import { randomUUID } from 'node:crypto';
import { html, Html, type Written } from '../../kit/html';
import { type Visit } from '../../kit/pages/page';
import { type Complaint } from './explain';
import { type Texts } from './texts';

/** Forms that show each error beside its field, also for screen readers. */

export interface FormOptions {
  /** The URL of the form. */
  action: string;
  /** The id of the element that the response replaces. Without it, the whole page is loaded. */
  target?: string;
  content: Written;
  /** A unique name of the form on its page. Tests also use it. */
  name?: string;
  className?: string;
  /** Sends the fields without escapes, so that a long text stays below the limit of a request. */
  isMultipart?: true;
}

/** A form that also works without a script. It contains the page's token, and an id that prevents a second effect. */
export function form(
  visit: Visit,
  { action, target, content, name, className = 'stack', isMultipart }: FormOptions,
): Html {
  const swap = target === undefined ? '' : html`hx-post="${action}" hx-target="#${target}" hx-swap="outerHTML"`;
  return html`<form
    method="post"
    action="${action}"
    class="${className}"
    ${isMultipart && html`enctype="multipart/form-data"`}
    ${name === undefined ? '' : html`name="${name}"`}
    ${visit.personName !== undefined && html`data-person="${visit.personName}"`}
    ${swap}
    novalidate
  >
    <input type="hidden" name="_token" value="${visit.pageToken}" />
    <input type="hidden" name="_form" value="${randomUUID()}" />
    ${content}
  </form>`;
}

export interface FieldOptions {
  name: string;
  label: string;
  type?:
    'text' | 'email' | 'password' | 'tel' | 'number' | 'date' | 'datetime-local' | 'search' | 'url' | 'color' | 'file';
  value?: string | number | undefined;
  /** The errors of the form. The field shows its error. */
  complaint?: Complaint | undefined;
  hint?: Written;
  isRequired?: boolean;
  /** A field of a filter, which may be empty without a note that it is optional. */
  isFilter?: boolean;
  /** The autocomplete token: `email`, `new-password`, `cc-number`. */
  autocomplete?: string;
  inputmode?: 'numeric' | 'decimal' | 'email';
  placeholder?: string;
  maxlength?: number;
  /** Additional attributes: `min`, `step`, `dir`. */
  more?: Record<string, string>;
  /** Further fields of the endpoint whose errors are shown here. */
  alsoNamed?: readonly string[];
}

/** A labelled input with its hint and its error. */
export function field(texts: Texts, options: FieldOptions): Html {
  const { name, type = 'text', value } = options;
  const input = html`<input
    id="${idOf(name)}"
    name="${name}"
    type="${type}"
    ${asAttribute('value', value)}
    ${commonAttributes(options)}
  />`;
  return labelled(texts, input, options);
}

export interface SelectOptions extends Omit<FieldOptions, 'type'> {
  /** The values and their texts. A leading empty value requires a choice. */
  choices: readonly (readonly [value: string, text: string])[];
}

export function select(texts: Texts, options: SelectOptions): Html {
  const { name, value, choices } = options;
  const list = choices.map(
    ([choice, text]) =>
      html`<option value="${choice}" ${String(value ?? '') === choice ? 'selected' : ''}>${text}</option>`,
  );
  const input = html`<select id="${idOf(name)}" name="${name}" ${commonAttributes(options)}>
    ${list}
  </select>`;
  return labelled(texts, input, options);
}

export function textarea(texts: Texts, options: Omit<FieldOptions, 'type'>): Html {
  const { name, value = '' } = options;
  const input = html`<textarea id="${idOf(name)}" name="${name}" ${commonAttributes(options)}>${value}</textarea>`;
  return labelled(texts, input, options);
}

/** A checkbox. A checked box sends `true`, and an unchecked box sends nothing. */
export function checkbox(
  options: Omit<FieldOptions, 'type' | 'value'> & { isChecked?: boolean; value?: string },
): Html {
  const { name, label, isChecked = false, value = 'true' } = options;
  return html`<div class="field">
    <div class="check">
      <input
        type="checkbox"
        id="${idOf(name)}"
        name="${name}"
        value="${value}"
        ${isChecked ? 'checked' : ''}
        ${commonAttributes(options)}
      />
      <label for="${idOf(name)}">${label}</label>
    </div>
    ${below(options)}
  </div>`;
}

export interface RadioOptions extends Omit<FieldOptions, 'type'> {
  choices: readonly { value: string; content: Written }[];
}

/** Large radio buttons. */
export function radios(options: RadioOptions): Html {
  const { name, label, value, choices } = options;
  const list = choices.map(
    (choice, index) =>
      html`<label class="choice" for="${idOf(name)}-${index}">
        <input
          type="radio"
          id="${idOf(name)}-${index}"
          name="${name}"
          value="${choice.value}"
          ${String(value ?? '') === choice.value ? 'checked' : ''}
          ${described(options)}
        />
        ${choice.content}
      </label>`,
  );
  return html`<fieldset class="field" id="${idOf(name)}" tabindex="-1">
    <legend>${label}</legend>
    ${list} ${below(options)}
  </fieldset>`;
}

/** A submit button: the main button of the form, or another. */
export function submit(text: Written, { isFull = false, name, value, kind = 'main' }: SubmitOptions = {}): Html {
  const named = name === undefined ? '' : html`name="${name}" value="${value ?? ''}"`;
  return html`<button type="submit" class="${kind}${isFull ? ' full' : ''}" ${named}>${text}</button>`;
}

interface SubmitOptions {
  isFull?: boolean;
  name?: string;
  value?: string;
  kind?: 'main' | 'danger' | 'slim' | 'plain' | 'other';
}

/** A button that asks for a confirmation first. */
export function confirmButton(
  visit: Visit,
  { label, question, isDangerous = true, isOpen = false, fields, ...sent }: Question,
): Html {
  const content = html`<p>${question}</p>
    ${fields} ${submit(label, { kind: isDangerous ? 'danger' : 'main' })}`;
  return html`<details class="asking" ${isOpen && 'open'}>
    <summary class="button slim">${label}</summary>
    <div class="card">${form(visit, { ...sent, content })}</div>
  </details>`;
}

interface Question extends Pick<FormOptions, 'action' | 'target' | 'name'> {
  label: string;
  question: string;
  isDangerous?: boolean;
  /** Whether the section is open, as for an error in one of its fields. */
  isOpen?: boolean;
  fields?: Written;
}

/**
 * The summary of a form's errors, above its fields. It is announced when it appears, with a link to each field.
 * `named`: the fields of the form. Errors of other fields are shown only here.
 */
export function complaints({ t }: Texts, complaint: Complaint | undefined, named: Named): Html {
  if (!complaint) return html``;
  const labels = new Map(Array.isArray(named) ? named.map((name: string) => [name, '']) : Object.entries(named));
  const fields = Object.entries(complaint.fields);
  const shown = fields.filter(([name]) => labels.has(name));
  const others = fields.filter(([name]) => !labels.has(name)).map(([, text]) => html`<p>${text}</p>`);
  const links = shown.map(([name, text]) => {
    const label = labels.get(name) ?? '';
    const isUnnamed = label === '' && html` data-unnamed`;
    return html`<li><a href="#${idOf(name)}" ${isUnnamed}>${label === '' ? text : `${label}: ${text}`}</a></li>`;
  });
  const opening =
    shown.length > 0 ? t('errors.inForm', { count: shown.length }) : others.length > 0 ? '' : complaint.message;
  return html`<div class="alert bad" role="alert" tabindex="-1" data-focus>
    ${opening === '' ? '' : html`<p>${opening}</p>`} ${others}
    ${
      links.length > 0
        ? html`<ul>
            ${links}
          </ul>`
        : ''
    }
  </div>`;
}

/** Field names, or names with labels. A name without a label gets that of its field, once the page is whole (`summary.ts`). */
export type Named = readonly string[] | Readonly<Record<string, string>>;

export const idOf = (name: string) => `field-${name.replaceAll(/[^\w-]/g, '-')}`;

function labelled({ t }: Texts, input: Html, options: FieldOptions): Html {
  const { name, label, isRequired = false, isFilter = false } = options;
  const optional = isRequired || isFilter ? '' : html` <span class="quiet small">(${t('common.optional')})</span>`;
  return html`<div class="field">
    <label for="${idOf(name)}">${label}${optional}</label>${input} ${below(options)}
  </div>`;
}

function below(options: Pick<FieldOptions, 'name' | 'hint' | 'complaint' | 'alsoNamed'>): Html {
  const { name, hint } = options;
  const text = complaintOf(options);
  return html`${hint === undefined ? '' : html`<p class="hint" id="${idOf(name)}-hint">${hint}</p>`}
  ${text === undefined ? '' : html`<p class="complaint" id="${idOf(name)}-error">${text}</p>`}`;
}

function complaintOf({ name, complaint, alsoNamed = [] }: Pick<FieldOptions, 'name' | 'complaint' | 'alsoNamed'>) {
  return [name, ...alsoNamed].map((known) => complaint?.fields[known]).find((text) => text !== undefined);
}

function commonAttributes(options: Omit<FieldOptions, 'type' | 'value'>): Html {
  const { isRequired, autocomplete, inputmode, placeholder, maxlength, more = {} } = options;
  const attributes = { autocomplete, inputmode, placeholder, maxlength, ...more };
  const written = Object.entries(attributes).map(([name, value]) => html`${asAttribute(name, value)} `);
  return html`${written} ${isRequired ? 'required' : ''} ${described(options)}`;
}

function described(options: Pick<FieldOptions, 'name' | 'hint' | 'complaint' | 'alsoNamed'>): Html {
  const { name, hint } = options;
  const isWrong = complaintOf(options) !== undefined;
  const by = [...(hint === undefined ? [] : [`${idOf(name)}-hint`]), ...(isWrong ? [`${idOf(name)}-error`] : [])];
  return html`${by.length > 0 ? html`aria-describedby="${by.join(' ')}"` : ''}
  ${isWrong ? html`aria-invalid="true"` : ''}`;
}

/** Empty for an absent value. The name is not escaped, so it must not come from a visitor. */
function asAttribute(name: string, value: string | number | undefined): Html {
  return value === undefined ? html`` : html`${new Html(name)}="${value}"`;
}
