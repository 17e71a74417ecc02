import { html, Html } from '../../kit/html';

interface Item {
  title: string;
  content: string;
  item_type: { content_type: string };
}

/** An item's content as a separate page, by its type. The page has an opaque origin. */
export function itemContent({ title, content, item_type: { content_type: form } }: Item): Html {
  if (form === 'html') return pageOf(title, new Html(content));
  const address = /^https?:\/\/\S+$/i.test(content.trim()) ? content.trim() : undefined;
  if ((form === 'file' || form === 'rss') && address !== undefined)
    return pageOf(title, html`<p><a href="${address}" target="_blank" rel="noopener">${title}</a></p>`);
  if (address !== undefined && /\.(?:mp4|webm|m4v|mov|mp3|m4a|ogg)(?:$|\?)/i.test(address))
    return pageOf(title, html`<video src="${address}" controls playsinline></video>`);
  // The content is the embed code of a player, or a text.
  return pageOf(title, new Html(content));
}

function pageOf(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="und">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          body {
            margin: 0;
            padding: 1rem;
            font:
              1rem/1.6 system-ui,
              sans-serif;
            color: #1b1b1f;
          }
          img,
          video,
          iframe {
            max-width: 100%;
          }
          video {
            width: 100%;
          }
        </style>
      </head>
      <body>
        ${content}
      </body>
    </html>`;
}
