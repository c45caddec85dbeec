/**
 * Style sheet of a report: one readable column, light or dark as the reader has it, black on white in print.
 */
export const reportStyle = `:root{color-scheme:light dark;--text:#1b2430;--quiet:#566270;--ground:#fff;--line:#dde3ea;--link:#0b57b0;--soft:#f5f7fa}
@media (prefers-color-scheme:dark){:root{--text:#e8edf3;--quiet:#a7b3c0;--ground:#131a22;--line:#36424f;--link:#8cc2ff;--soft:#1b242e}}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.55 system-ui,sans-serif}
main{max-width:52rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:.4em 0 .6em}h2{font-size:1.2rem;margin:2.2em 0 .5em}
a{color:var(--link)}nav ol{columns:2;padding-left:1.4rem}
figure{margin:1rem 0}figure .chart{width:100%}figcaption,.downloads,footer{color:var(--quiet);font-size:.875rem}
.downloads a{margin-right:.75rem}p.downloads{margin:.4rem 0 0}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;width:100%}
caption{text-align:left;color:var(--quiet);padding:.3rem 0}
th,td{text-align:left;padding:.38rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
th{background:var(--soft);font-weight:600}.number{text-align:right;font-variant-numeric:tabular-nums}
footer{margin-top:3rem;border-top:1px solid var(--line)}
@media print{:root{--text:#000;--quiet:#333;--ground:#fff;--line:#bbb;--link:#000;--soft:#f2f2f2}
main{max-width:none;padding:0}.downloads,nav{display:none}section{break-inside:avoid-page}figure,table,tr{break-inside:avoid}h2{break-after:avoid}}
`;
