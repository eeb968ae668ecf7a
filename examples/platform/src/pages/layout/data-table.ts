import { html } from "hono/html";
import type { Markup } from "./markup.ts";

export interface Column<Row> {
  heading: string;
  cell(row: Row): Markup | string | number;
}

export interface DataTable<Row> {
  /** Says what the table is about; read aloud before it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Of a row's element, for what is swapped alone. */
  rowId?(row: Row): string;
}

/** A table that becomes a list of cards on a phone. The first column names the row. Roles stay when its display changes. */
export function dataTable<Row>({ caption, columns, rows, rowId }: DataTable<Row>): Markup {
  const [first, ...others] = columns;
  return html`
    <table role="table" class="cards">
      <caption class="unseen">${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">${columns.map(({ heading }) => html`<th scope="col" role="columnheader">${heading}</th>`)}</tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) => html`
        <tr role="row"${rowId && html` id="${rowId(row)}"`}>
          <th scope="row" role="rowheader">${first?.cell(row)}</th>
          ${others.map(({ heading, cell }) => html`<td role="cell" data-heading="${heading}">${cell(row)}</td>`)}
        </tr>`,
        )}
      </tbody>
    </table>`;
}
