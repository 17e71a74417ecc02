import { html } from '../../kit/html';

const style = html`
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f4f4f6; color: #1b1b1f; } main { max-width:
  26rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 12px; box-shadow: 0 1px 8px #0002; } h1 {
  font-size: 1.25rem; margin: 0 0 .5rem; } .amount { font-size: 2rem; font-weight: 650; margin: 1rem 0 0; } small {
  color: #5c5c66; } form { display: flex; gap: .75rem; margin-top: 1.5rem; } button { flex: 1; font: inherit;
  font-weight: 600; padding: .75rem; border-radius: 8px; border: 1px solid #8a8a94; background: #fff; cursor: pointer; }
  button[value=approved] { background: #14532d; border-color: #14532d; color: #fff; } button:focus-visible { outline:
  3px solid #60a5fa; outline-offset: 2px; }
`;

/** The page where the sandbox's bank asks the customer: no money moves, whatever is answered. */
export function authenticationPage(payment: { description: string; amount: string }): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Test bank: confirm your payment</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <small>Test bank. No money moves here.</small>
          <h1>Confirm your payment</h1>
          <p class="amount">${payment.amount}</p>
          <p>${payment.description}</p>
          <form method="post">
            <button name="answer" value="approved">Approve</button>
            <button name="answer" value="refused">Refuse</button>
          </form>
        </main>
      </body>
    </html>`.text;
}

/** What remains to say when the purchase named no address to go back to. */
export function answeredPage(answer: 'approved' | 'refused'): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Test bank: thank you</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>The payment was ${answer}</h1>
          <p>You can close this window.</p>
        </main>
      </body>
    </html>`.text;
}
