{#
  Positives and negatives at each score, and each segment with `by`: the table that
  `capcurve summary cells.csv --counts` reads.

  Column names and conditions are SQL, quoted as your warehouse needs them. Labels are values: text
  is put into quotes. A label that is neither of the two, or none, makes the counts of its score
  NULL, so that reading the table says so.
#}
{% macro capcurve_cells(relation, target, score, by=none, pos_label=1, neg_label=0, where=none) -%}
with capcurve_rows as (
  {{ capcurve_rows(relation, target, score, by, pos_label, neg_label, where) }}
)
select
  {% if by is not none -%} capcurve_segment as segment, {%- endif %}
  capcurve_score as score,
  case
    when sum(1 - capcurve_positive - capcurve_negative) = 0
    then cast(sum(capcurve_positive) as bigint)
  end as positives,
  case
    when sum(1 - capcurve_positive - capcurve_negative) = 0
    then cast(sum(capcurve_negative) as bigint)
  end as negatives
from capcurve_rows
group by
  {% if by is not none -%} capcurve_segment, {%- endif %}
  capcurve_score
{%- endmacro %}

{#  Each row with its segment, its score, and whether it is a positive or a negative.  #}
{% macro capcurve_rows(relation, target, score, by, pos_label, neg_label, where) -%}
  select
    {% if by is not none -%} {{ by }} as capcurve_segment, {%- endif %}
    {{ score }} as capcurve_score,
    case
      when {{ target }} = {{ capcurve_literal(pos_label) }}
      then cast(1 as bigint) else cast(0 as bigint)
    end as capcurve_positive,
    case
      when {{ target }} = {{ capcurve_literal(neg_label) }}
      then cast(1 as bigint) else cast(0 as bigint)
    end as capcurve_negative
  from {{ relation }}
  {%- if where is not none %}
  where {{ where }}
  {%- endif %}
{%- endmacro %}

{% macro capcurve_literal(value) -%}
  {%- if value is string -%} '{{ value | replace("'", "''") }}' {%- else -%} {{ value }} {%- endif -%}
{%- endmacro %}
