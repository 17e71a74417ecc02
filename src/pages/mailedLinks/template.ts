import { html, type Html } from '../../kit/html';

const style = html`
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f4f4f6; color: #1b1b1f; } main { max-width:
  26rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 12px; box-shadow: 0 1px 8px #0002; } h1 {
  font-size: 1.25rem; margin: 0 0 .5rem; } label { display: block; margin-top: 1rem; } input, button { box-sizing:
  border-box; width: 100%; font: inherit; padding: .75rem; border-radius: 8px; border: 1px solid #8a8a94; } button {
  margin-top: 1.5rem; font-weight: 600; background: #1b1b1f; border-color: #1b1b1f; color: #fff; cursor: pointer; }
  [role=alert] { color: #991b1b; } :focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px; }
`;

/** Activates by a button: a mail scanner that follows the link must not use it up. */
export function activationPage(): string {
  return page(
    'Activate your account',
    html`<p>Please confirm that you want to activate your account.</p>
      <form method="post"><button>Activate my account</button></form>`,
  );
}

/** `complaint`: why the last try was refused. */
export function newPasswordPage(complaint?: string): string {
  return page(
    'Choose a new password',
    html`${complaint === undefined ? '' : html`<p role="alert">${complaint}</p>`}
      <form method="post">
        <label
          >New password
          <input name="password" type="password" autocomplete="new-password" minlength="8" required autofocus
        /></label>
        <label
          >Once more
          <input name="password_confirmation" type="password" autocomplete="new-password" minlength="8" required
        /></label>
        <button>Set the password</button>
      </form>`,
  );
}

/** What remains to be said. */
export function closingPage(title: string, text: string): string {
  return page(title, html`<p>${text}</p>`);
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text;
}
