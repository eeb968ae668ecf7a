import { html, type Markup } from "./markup.ts";

export interface Column<Row> {
  heading: string;
  cell(row: Row): Markup | string | number;
  /** In a compact table on a phone: below the name, on its own line, beside others on the last line, or hidden. @default "beside" */
  phone?: "below" | "line" | "beside" | "none";
}

export interface DataTable<Row> {
  /** Screen readers read it before the table. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** On a phone a row takes about three lines. @default false: a line per column */
  isCompact?: boolean;
  /** Element id of a row, for live updates. */
  rowId?(row: Row): string;
}

/** A table that becomes cards on a phone. Explicit roles keep its semantics there. The first column names the row. */
export function dataTable<Row>({ caption, columns, rows, rowId, isCompact = false }: DataTable<Row>): Markup {
  const [first, ...others] = columns;
  return html`
    <table role="table" class="cards${isCompact && " compact"}">
      <caption class="unseen">${caption}</caption>
      <thead role="rowgroup">
        <tr role="row">${columns.map(({ heading }) => html`<th scope="col" role="columnheader">${heading}</th>`)}</tr>
      </thead>
      <tbody role="rowgroup">
        ${rows.map(
          (row) => html`
        <tr role="row"${rowId && html` id="${rowId(row)}"`}>
          <th scope="row" role="rowheader">${first?.cell(row)}</th>
          ${others.map(({ heading, cell, phone = "beside" }) => html`<td role="cell" data-heading="${heading}"${isCompact && html` class="${phone}"`}>${cell(row)}</td>`)}
        </tr>`,
        )}
      </tbody>
    </table>`;
}
