import { html, type Html } from '../../kit/html';
import { describeOperation, errorSchema } from '../../kit/openapi';
import { policyOf } from '../../kit/policy';
import { type Route } from '../../kit/routes';
import { icon } from '../layout/icons';
import { marked } from './marked';
import { exampleOf, fieldList, hasFields, type Operation, type Schema, typeAndMeaning, typeOf } from './fields';
import { tryOut } from './tryOut';

/** The page of one operation: what it takes, what it answers, and a form that calls it. */

export function operationPage({ name, endpoint }: Route): Html {
  const operation = describeOperation(name, endpoint) as Operation;
  const { method, path } = endpoint;
  return html`<article class="stack roomy">
    <header class="stack">
      <p><a class="back" href="/docs">${icon('back')}All endpoints</a></p>
      <h1>${marked(operation.summary)}</h1>
      <p class="row"><span class="verb ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
      <p>${callerOf(name, policyOf(endpoint.auth))}</p>
    </header>
    ${parametersOf(operation)} ${bodyOf(operation)} ${tryOut({ method, path, operation })} ${answersOf(operation)}
  </article>`;
}

/** Who may call, in one sentence. */
function callerOf(name: string, { who, scope }: ReturnType<typeof policyOf>): Html {
  const scoped = scope === undefined ? '' : html`, with the scope <code>${scope}</code> for followers and staff`;
  return html`Operation <code>${name}</code>. Who may call it: ${who}${scoped}.`;
}

function parametersOf({ parameters }: Operation): Html {
  if (parameters.length === 0) return html``;
  return html`<section class="card stack">
    <h2>Parameters</h2>
    <ul class="fields">
      ${parameters.map(
        (one) =>
          html`<li>
            <code>${one.name}</code> <span class="quiet">in the ${one.in},</span>
            ${typeAndMeaning(one.schema, one.required ?? false)} ${marked(one.description)}
          </li>`,
      )}
    </ul>
  </section>`;
}

function bodyOf({ requestBody }: Operation): Html {
  const [[type, { schema }] = ['', { schema: {} as Schema }]] = Object.entries(requestBody?.content ?? {}).reverse();
  if (!requestBody) return html``;
  return html`<section class="card stack">
    <h2>Body</h2>
    <p class="quiet">
      ${type === 'application/json' ? 'JSON, or the same fields as a form.' : `The bytes, as ${type}.`}
    </p>
    ${hasFields(schema) && fieldList(schema)}
  </section>`;
}

function answersOf({ responses }: Operation): Html {
  const all = Object.entries(responses);
  const isGood = ([status]: readonly [string, unknown]) => Number(status) < 400;
  return html`<section class="card stack">
      <h2>Answers</h2>
      ${all.filter(isGood).map(([status, answer]) => answerOf(status, answer))}
    </section>
    <section class="card stack">
      <h2>Errors</h2>
      <ul class="fields">
        ${all
          .filter((one) => !isGood(one))
          .map(([status, { description }]) => html`<li><code>${status}</code> ${marked(description)}</li>`)}
      </ul>
      <details>
        <summary>The body of an error</summary>
        ${fieldList(errorSchema)}
      </details>
    </section>`;
}

function answerOf(status: string, { description, content }: Operation['responses'][string]): Html {
  const [[type, { schema }] = ['', { schema: {} as Schema }]] = Object.entries(content);
  const isJson = type === 'application/json';
  return html`<h3><code>${status}</code> ${description}</h3>
    <p class="quiet">${isJson ? typeOf(schema) : type}</p>
    ${hasFields(schema) && fieldList(schema)}
    ${
      isJson &&
      html`<details>
        <summary>Example</summary>
        <pre tabindex="0">${JSON.stringify(exampleOf(schema), null, 2)}</pre>
      </details>`
    }`;
}
