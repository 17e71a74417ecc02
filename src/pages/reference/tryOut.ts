import { html, type Html } from '../../kit/html';
import { exampleOf, type Operation, type Parameter, type Schema } from './fields';

/**
 * A form that calls an operation from the page. `browser/reference.ts` sends it: without a script it cannot be used, and
 * says so.
 */

interface TryOut {
  method: string;
  path: string;
  operation: Operation;
}

export function tryOut({ method, path, operation: { parameters, requestBody } }: TryOut): Html {
  return html`<section class="card stack" aria-labelledby="try">
    <h2 id="try">Try it</h2>
    <noscript><p>This form needs scripts.</p></noscript>
    <form class="stack" data-call="${method}" data-path="${path}">
      <fieldset class="stack" disabled>
        <legend class="visually-hidden">Request</legend>
        ${input({ id: 'token', kind: 'token', label: 'Token', hint: 'For endpoints that need one. It stays in this tab.' })}
        ${parameters.map(parameterInput)} ${requestBody && bodyInput(requestBody)}
        <button type="submit" class="main">Send request</button>
      </fieldset>
    </form>
    <div class="stack" role="status" data-answer></div>
  </section>`;
}

interface Input {
  id: string;
  name?: string;
  label: string;
  hint?: string;
  /** The place of a parameter: `path`, `query` or `header`. The token of the request is none of them. */
  kind: string;
  isRequired?: boolean;
}

function parameterInput({ name, in: place, required }: Parameter): Html {
  return input({ id: `${place}-${name}`, name, label: name, kind: place, isRequired: required ?? false });
}

function input({ id, name = id, label, hint, kind, isRequired = false }: Input): Html {
  const optional = !isRequired && html` <span class="quiet small">(optional)</span>`;
  return html`<div class="field">
    <label for="try-${id}">${label}${optional}</label>
    <input
      id="try-${id}"
      name="${name}"
      type="text"
      autocomplete="off"
      spellcheck="false"
      data-in="${kind}"
      ${isRequired && 'required'}
      ${hint !== undefined && html`aria-describedby="try-${id}-hint"`}
    />
    ${hint !== undefined && html`<p class="hint" id="try-${id}-hint">${hint}</p>`}
  </div>`;
}

/** A text of JSON with the required fields, or a file. */
function bodyInput({ content }: Required<Operation>['requestBody']): Html {
  const schema: Schema | undefined = content['application/json']?.schema;
  if (!schema)
    return html`<div class="field">
      <label for="try-file">File</label><input id="try-file" type="file" data-file />
    </div>`;
  const example = JSON.stringify(exampleOf(schema, { isShort: true }), null, 2);
  return html`<div class="field">
    <label for="try-body">Body as JSON</label>
    <textarea id="try-body" rows="8" dir="ltr" spellcheck="false" data-body>${example}</textarea>
  </div>`;
}
