import { html } from '../../kit/html';

const style = html`
  body { font: 16px/1.5 system-ui, sans-serif; margin: 0; background: #f4f4f6; color: #1b1b1f; } main { max-width:
  26rem; margin: 12vh auto 0; padding: 2rem; background: #fff; border-radius: 12px; box-shadow: 0 1px 8px #0002; } h1 {
  font-size: 1.25rem; margin: 0 0 .5rem; }
`;

/** The app hears of the outcome by itself: there is nothing to wait for here. */
export function returnPage(): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Thank you</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>Thank you</h1>
          <p>Your payment goes on. You can close this window.</p>
        </main>
      </body>
    </html>`.text;
}
